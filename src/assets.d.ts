/** Files that are imported as text or, if binary, as a path; `scripts/build-options.mjs` loads them. */

declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.yaml' {
  const text: string;
  export default text;
}

declare module '*.wasm' {
  const path: string;
  export default path;
}
