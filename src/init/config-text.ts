/** The first pawl.toml of a project: every line is a remark, so that it changes nothing before somebody wants it to. */

import type { WorkflowSurface } from '../workflows/surface.ts';
import { markedText } from './marked-text.ts';
import type { ProjectSurvey } from './project-survey.ts';

interface Setting {
  readonly line: string;
  readonly about?: string;
}

export function configText(
  { languages, packageManager, setup, checks, schema }: ProjectSurvey,
  surfaces: readonly WorkflowSurface[],
  agents: readonly string[],
): string {
  const [first = 'claude', second = 'codex'] = agents;
  const roles = [...new Set(surfaces.flatMap((surface) => surface.roles))];
  const command = (name: string, words: readonly string[]): Setting => ({ line: `${name} = ${list(words)}` });
  const found = [...languages, ...(packageManager === null ? [] : [packageManager])].join(', ');
  return markedText(
    [
      ...(schema === null ? [] : [`#:schema ./${schema}`]),
      '# Configuration of Pawl. Every key has a default: remove "# " where you want another value.',
      '# pawl config --keys lists all of them.',
      `# Found in this repository: ${found === '' ? 'no known language' : found}.`,
      '# Pawl asks for your trust (pawl trust) before it uses settings that run something.',
      '',
      ...part('How the project is worked on', null, [
        { line: 'sandbox = "prefer"', about: '"require" refuses to work without one, "off" switches it off' },
        { line: `fallback = ${list([second, first])}`, about: 'replace a missing or rate-limited agent' },
        {
          line: `notify = ["sh", "-c", 'notify-send Pawl "$PAWL_MESSAGE"']`,
          about: 'runs when a run asks or stops',
        },
      ]),
      ...part(
        'Who plays a role; by default the installed agents in turn, so that none judges its own work',
        'roles',
        roles.map((role, at) => ({ line: `${role} = ${JSON.stringify(at % 2 === 0 ? first : second)}` })),
      ),
      ...part('Checks before every review; by default what the files of the project tell, as here', 'checks', [
        ...Object.entries(checks).map(([name, words]) => command(name, words)),
        ...(Object.keys(checks).length > 0 ? [] : [command('test', ['make', 'test'])]),
        { line: 'timeout_minutes = 10', about: 'for each check' },
      ]),
      ...part('Limits of each run', 'budget', [
        { line: 'dispatches = 60', about: 'agent calls' },
        { line: 'cost_usd = 50' },
        { line: 'hours = 8', about: 'total agent time' },
      ]),
      ...part('How a new worktree is prepared', 'worktree', [
        command('setup', setup ?? ['make', 'deps']),
        { line: 'copy = [".env"]', about: 'from your checkout, if it is there' },
      ]),
    ].join('\n') + '\n',
    '',
    'edit it as you like: it is not written again',
  );
}

function part(title: string, table: string | null, settings: readonly Setting[]): string[] {
  const lines = settings.map(({ line, about }) => `# ${line}${about === undefined ? '' : `  # ${about}`}`);
  return [`# ${title}.`, ...(table === null ? [] : [`# [${table}]`]), ...lines, ''];
}

/** JSON of texts is TOML, too. */
function list(words: readonly string[]): string {
  return `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;
}
