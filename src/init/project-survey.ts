/** What the files of a repository tell about the project in it. */

import { projectCommands, type Purpose } from '../workflows/toolchains.ts';
import type { FileView } from '../workflows/workflow.ts';
import { lockFiles } from '../workspace/lock-files.ts';

export interface ProjectSurvey {
  readonly languages: readonly string[];
  readonly packageManager: string | null;
  /** The command that installs what the lock file names. */
  readonly setup: readonly string[] | null;
  readonly checks: Readonly<Partial<Record<Purpose, readonly string[]>>>;
  /** Of pawl.toml, for editors: where Pawl is installed in the project, which is the same for everybody in it. */
  readonly schema: string | null;
}

const schemaPath = 'node_modules/pawl/schemas/pawl.schema.json';

const languageMarkers: readonly (readonly [RegExp, string])[] = [
  [/^tsconfig\.json$/, 'TypeScript'],
  [/^package\.json$/, 'JavaScript'],
  [/^(?:pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt)$/, 'Python'],
  [/^Cargo\.toml$/, 'Rust'],
  [/^go\.mod$/, 'Go'],
  [/^(?:pom\.xml|build\.gradle)$/, 'Java'],
  [/^build\.gradle\.kts$/, 'Kotlin'],
  [/^Gemfile$/, 'Ruby'],
  [/\.(?:csproj|slnx?)$/, 'C#'],
];

export function surveyProject(files: FileView): ProjectSurvey {
  const names = files.list('.', 'shallow');
  const found = languageMarkers.filter(([marker]) => names.some((name) => marker.test(name)));
  const languages = [...new Set(found.map(([, language]) => language))];
  const isTyped = languages.includes('TypeScript');
  const { manager: packageManager = null, setup = null } = lockFiles.find(({ file }) => names.includes(file)) ?? {};
  const purposes = ['test', 'typecheck', 'lint'] as const;
  const checks = purposes.flatMap((purpose) => {
    const command = projectCommands(files, purpose).find((each) => each !== null);
    return command ? [[purpose, command] as const] : [];
  });
  return {
    languages: languages.filter((language) => !(isTyped && language === 'JavaScript')),
    packageManager,
    setup,
    checks: Object.fromEntries(checks),
    schema: files.exists(schemaPath) ? schemaPath : null,
  };
}
