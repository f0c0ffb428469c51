/** Where a defined workflow keeps what belongs to its runs. */

/** The name of the workflow a file defines. */
export function nameOfFile(file: string): string {
  const last = file.slice(file.lastIndexOf('/') + 1);
  return last.replace(/(?<=.)\.[^.]*$/, '');
}

export function controlFolder(workflow: string): string {
  return `.pawl/${workflow}`;
}

export function runPaths(
  workflow: string,
  run: string,
): { readonly state: string; readonly reports: string; readonly journal: string } {
  const folder = `${controlFolder(workflow)}/${run}`;
  return { state: `${folder}/state.yaml`, reports: `${folder}/reports`, journal: `${folder}/journal.jsonl` };
}
