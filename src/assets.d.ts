/** Files that are imported as text; `scripts/build-options.mjs` loads them. */

declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.yaml' {
  const text: string;
  export default text;
}
