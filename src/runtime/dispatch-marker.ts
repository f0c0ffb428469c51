/** The name of the variable by which a dispatch's processes are found again after a crash. */
export const dispatchMarker = 'PAWL_DISPATCH';

/** What a dispatch's processes carry: unlike its id, it is the dispatch's alone on the whole machine. */
export function markerOf(runFolder: string, dispatch: string): string {
  return `${runFolder}${dispatch.slice(dispatch.lastIndexOf('#'))}`;
}
