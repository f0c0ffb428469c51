/** Tells the benchmarks' own program to be the one that is measured: it then loads nothing else. */
export const validateFlag = '--validate-all';
