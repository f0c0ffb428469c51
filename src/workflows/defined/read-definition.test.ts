import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { inFile } from '../../documents/read-document.ts';
import { readYamlLines } from '../../documents/yaml.ts';
import { page } from './page.fixture.ts';
import { readDefinition } from './read-definition.ts';

const small = `name: small
about: As small as can be.
begin: work
roles:
  worker: { agent: claude, writes: ["src/**"], reports: [done, stuck] }
artifacts:
  notes: { path: "notes/{{run}}.md", sections: [Why] }
budgets:
  rounds: { limit: 2 }
gates:
  out: { of: notes, guards: [over], passed_by: [ask.yes] }
states:
  work:
    role: worker
    prompt: prompts/work.md
    on:
      done: ask
      stuck: [{ when: { left: rounds }, to: work, spend: rounds }, { to: ask }]
  ask:
    ask: Good?
    answers: { fine: it is }
    on: { fine: over }
  over: { ends: done }
`;

function read(text: string) {
  const { value, lineOf } = readYamlLines(text, 'w.yaml');
  return readDefinition(value, inFile('w.yaml', lineOf)).definition;
}

function mistake(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

/** The small one with one thing changed; what is to be changed must be there. */
function changed(from: string, to: string): string {
  if (!small.includes(from)) throw new Error(`there is no ${from}`);
  return small.replace(from, () => to);
}

test('reads the same definition from YAML and TypeScript', () => {
  const yaml = read(small);
  expect(yaml).toEqual({
    name: 'small',
    about: 'As small as can be.',
    begin: 'work',
    roles: { worker: { agent: 'claude', writes: ['src/**'], reports: ['done', 'stuck'] } },
    artifacts: { notes: { path: 'notes/{{run}}.md', sections: ['Why'] } },
    budgets: { rounds: { limit: 2, scope: 'run' } },
    flags: {},
    lists: [],
    commands: [],
    gates: { out: { of: 'notes', guards: ['over'], passedBy: ['ask.yes'] } },
    states: {
      work: {
        role: 'worker',
        prompt: 'prompts/work.md',
        on: { done: 'ask', stuck: [{ when: { left: 'rounds' }, to: 'work', spend: 'rounds' }, { to: 'ask' }] },
      },
      ask: { ask: 'Good?', answers: { fine: 'it is' }, on: { fine: 'over' } },
      over: { ends: 'done' },
    },
  });
  const { lists: _lists, commands: _commands, ...typescript } = yaml;
  expect(
    readDefinition(
      typescript,
      inFile('w.ts', () => null),
    ).definition,
  ).toEqual(yaml);
});

test('accepts every definition that compiles', () => {
  expect(
    readDefinition(
      page,
      inFile('page.ts', () => null),
    ).definition,
  ).toEqual(page);
  const check = () => ({ signal: { name: 'fine' } });
  const states = { ...page.states, list: { check, signals: ['fine'], on: { fine: 'draft' } } };
  expect(
    readDefinition(
      { ...page, states },
      inFile('page.ts', () => null),
    ).definition.states,
  ).toEqual(states);
});

test('camel case is read as well, with a hint', () => {
  const gates = { out: { of: 'page', guards: ['over'], passedBy: ['ask.fine'] } };
  const { definition, hints } = readDefinition(
    { ...page, gates },
    inFile('w.yaml', () => null),
  );
  expect(definition.gates).toEqual(gates);
  expect(hints).toEqual(['write passed_by instead of passedBy', 'write retry_from instead of retryFrom']);
});

test('a budget for every item, and a person who renews it', () => {
  const text = changed('rounds: { limit: 2 }', 'rounds: { limit: 2, scope: item }').replace(
    'on: { fine: over }',
    'on: { fine: { to: work, renew: rounds, spend: rounds } }',
  );
  expect(read(text)).toMatchObject({
    budgets: { rounds: { limit: 2, scope: 'item' } },
    states: { ask: { on: { fine: { to: 'work', renew: 'rounds', spend: 'rounds' } } } },
  });
  expect(mistake(text.replace('renew: rounds', 'renew: 3'))).toContain('renew is 3');
});

test('every key of every kind of state is read', () => {
  const text = changed(
    '  over: { ends: done }',
    `  list: { run: node list.mjs, minutes: 0.5, on: { passed: { to: each, load: parts }, failed: rest, empty: rest } }
  each: { role: worker, prompt: p.md, makes: notes, each: parts, reports: [done], retry_from: list, on: { done: { to: same, finish: true } } }
  same: { unchanged: notes, on: { yes: { to: over, set: { seen: yes }, outcome: done }, no: { to: rest, remember: true } } }
  rest: { rests: needs_person, on: { go: [{ when: { flag: seen, is: yes }, to: return }, { to: list, grant: rounds, remember: list }] } }
  over: { ends: done }`,
  );
  expect(read(`${text}flags: { seen: [no, yes] }\nlists: [parts]\ncommands: [go]\nretries: 0\n`)).toMatchObject({
    flags: { seen: ['no', 'yes'] },
    lists: ['parts'],
    commands: ['go'],
    retries: 0,
    states: {
      list: { run: ['node', 'list.mjs'], minutes: 0.5, on: { passed: { to: 'each', load: 'parts' } } },
      each: { makes: 'notes', each: 'parts', reports: ['done'], retryFrom: 'list', on: { done: { finish: true } } },
      same: { unchanged: 'notes', on: { yes: { set: { seen: 'yes' }, outcome: 'done' }, no: { remember: true } } },
      rest: {
        rests: 'needs_person',
        on: {
          go: [
            { when: { flag: 'seen', is: 'yes' }, to: 'return' },
            { grant: 'rounds', remember: 'list' },
          ],
        },
      },
    },
  });
});

describe('the first thing that is wrong is named with its place', () => {
  const many = Array.from({ length: 201 }, (_, index) => `  s${index}: { ends: done }`).join('\n');

  test.each<[string, string, string]>([
    ['an empty file', '', 'w.yaml: it holds no table; expected a workflow: name, about, begin, roles, states'],
    ['a list', '- name: x\n', 'w.yaml: it holds no table; expected a workflow: name, about, begin, roles, states'],
    ['a text', 'hello\n', 'w.yaml: it holds no table; expected a workflow: name, about, begin, roles, states'],
    ['broken YAML', 'name: a\nroles: { worker: [\n', 'w.yaml:3: Flow sequence in block collection must be'],
    ['a key twice', 'name: a\nabout: b\nname: c\n', 'w.yaml:3: Map keys must be unique; expected valid YAML'],
    ['no name', changed('name: small\n', ''), 'w.yaml: name is missing; expected a name in lower-case letters'],
    [
      'a capital',
      changed('name: small', 'name: Small'),
      'w.yaml:1: name is "Small"; expected a name in lower-case letters',
    ],
    [
      'a number for a name',
      changed('name: small', 'name: 7'),
      'w.yaml:1: name is 7; expected a name in lower-case letters',
    ],
    [
      'an empty about',
      changed('As small as can be.', '""'),
      'w.yaml:2: about is ""; expected a text that is not empty',
    ],
    ['an unknown key', `${small}stats: {}\n`, 'w.yaml:24: unknown key "stats"; expected "states"'],
    ['a key nobody knows', `${small}zzzzzzzz: 1\n`, 'w.yaml:24: unknown key "zzzzzzzz"; expected one of name, about'],
    [
      'an unknown key in a role',
      changed('agent: claude', 'agnet: claude'),
      'w.yaml:5: unknown key "roles.worker.agnet"; expected "agent"',
    ],
    [
      'an unknown key in a state',
      changed('prompt: prompts/work.md', 'prompt: prompts/work.md\n    promt: x'),
      'w.yaml:16: unknown key "states.work.promt"',
    ],
    [
      'a misspelt kind',
      changed('    role: worker', '    rol: worker'),
      'w.yaml:13: the state work: it has none of them; expected exactly one of role, run, check, unchanged, ask, rests, ends',
    ],
    [
      'two kinds',
      changed('    role: worker', '    role: worker\n    ends: done'),
      'w.yaml:13: the state work: it has role and ends; expected exactly one of',
    ],
    [
      'a state that is no table',
      changed('over: { ends: done }', 'over: done'),
      'w.yaml:23: states.over is "done"; expected a state: a table with one of',
    ],
    [
      'an outcome there is not',
      changed('ends: done', 'ends: finished'),
      'w.yaml:23: states.over.ends is "finished"; expected one of "done", "failed"',
    ],
    [
      'an outcome of a move',
      changed('{ to: ask }]', '{ to: ask, outcome: good }]'),
      'w.yaml:18: states.work.on.stuck[1].outcome is "good"; expected one of "done"',
    ],
    [
      'a path that leads out',
      changed('notes/{{run}}.md', '../x'),
      'w.yaml:7: artifacts.notes.path is "../x"; expected a path inside the repository',
    ],
    [
      'an absolute path',
      changed('notes/{{run}}.md', '/etc/passwd'),
      'w.yaml:7: artifacts.notes.path is "/etc/passwd"; expected a path inside',
    ],
    [
      "git's own folder",
      changed('notes/{{run}}.md', '.git/hooks'),
      'w.yaml:7: artifacts.notes.path is ".git/hooks"; expected a path inside',
    ],
    [
      "Pawl's own folder",
      changed('notes/{{run}}.md', '.pawl/x'),
      'w.yaml:7: artifacts.notes.path is ".pawl/x"; expected a path inside',
    ],
    [
      'a backslash',
      changed('notes/{{run}}.md', 'a\\\\b'),
      'w.yaml:7: artifacts.notes.path is "a\\\\b"; expected a path inside',
    ],
    [
      'a short path',
      changed('{ path: "notes/{{run}}.md", sections: [Why] }', '..'),
      'w.yaml:7: artifacts.notes is ".."; expected a path inside',
    ],
    [
      'a prompt that leads out',
      changed('prompts/work.md', '../secret'),
      'w.yaml:15: states.work.prompt is "../secret"; expected a path inside',
    ],
    [
      'a glob that leads out',
      changed('src/**', '../**'),
      'w.yaml:5: roles.worker.writes[0] is "../**"; expected a path inside',
    ],
    ['an absolute glob', changed('src/**', '/**'), 'w.yaml:5: roles.worker.writes[0] is "/**"; expected a path inside'],
    [
      "a glob in git's folder",
      changed('src/**', '.git/**'),
      'w.yaml:5: roles.worker.writes[0] is ".git/**"; expected a path inside',
    ],
    [
      "a glob in Pawl's folder",
      changed('src/**', '.pawl/**'),
      'w.yaml:5: roles.worker.writes[0] is ".pawl/**"; expected a path inside',
    ],
    [
      'a glob with a way out in braces',
      changed('src/**', '{docs,..}/**'),
      'w.yaml:5: roles.worker.writes[0] is "{docs,..}/**"; expected a path inside',
    ],
    [
      'a glob whose braces do not match',
      changed('src/**', 'src/{a,b'),
      'w.yaml:5: roles.worker.writes[0] is "src/{a,b"; expected a glob whose braces match',
    ],
    [
      'a glob that means no file',
      changed('src/**', 'src/'),
      'w.yaml:5: roles.worker.writes[0] is "src/"; expected files, such as "src/**"',
    ],
    ['an empty glob', changed('src/**', ''), 'w.yaml:5: roles.worker.writes is [""]; expected a list of texts'],
    [
      'writes that are no list',
      changed('["src/**"]', 'src'),
      'w.yaml:5: roles.worker.writes is "src"; expected a list of texts',
    ],
    [
      'a function in YAML',
      changed('    role: worker', '    check: looks'),
      'w.yaml:14: states.work.check is "looks"; expected a function (only in TypeScript); in YAML use run: with a program',
    ],
    [
      'a program that is none',
      changed('    role: worker', '    run: []'),
      'w.yaml:14: states.work.run is []; expected a program and its arguments',
    ],
    [
      'a program without time',
      changed('over: { ends: done }', 'over: { run: [a], minutes: 0, on: {} }'),
      'w.yaml:23: states.over.minutes is 0; expected a number above 0',
    ],
    ...['new', 'again', 'return', 'working'].map((name): [string, string, string] => [
      `a state called ${name}`,
      changed('  over: {', `  ${name}: {`),
      `w.yaml:23: states.${name}: "${name}" is a word of Pawl's own; expected another name`,
    ]),
    [
      'a report called again',
      changed('[done, stuck]', '[done, again]'),
      'w.yaml:5: roles.worker.reports is "again"; expected other words than new, again, return, working',
    ],
    [
      'an answer called again',
      changed('answers: { fine:', 'answers: { again:'),
      `states.ask.answers.again: "again" is a word of Pawl's own; expected another name`,
    ],
    [
      'an empty list of reports',
      changed('[done, stuck]', '[]'),
      'w.yaml:5: roles.worker.reports is []; expected a list of different words',
    ],
    [
      'a report twice',
      changed('[done, stuck]', '[done, done]'),
      'w.yaml:5: roles.worker.reports is ["done","done"]; expected a list of different words',
    ],
    [
      'no branches',
      changed('[{ when: { left: rounds }, to: work, spend: rounds }, { to: ask }]', '[]'),
      'w.yaml:18: states.work.on.stuck is []; expected a state, or a list of branches',
    ],
    [
      'no guarded state',
      changed('[over]', '[]'),
      'w.yaml:11: gates.out.guards is []; expected a list of texts with at least one',
    ],
    [
      'no step that passes',
      changed('[ask.yes]', '[]'),
      'w.yaml:11: gates.out.passed_by is []; expected a list of texts with at least one',
    ],
    ['201 names', changed('  over: { ends: done }', many), 'w.yaml:12: states is 203; expected at most 200 names'],
    [
      'a wrong guard',
      changed('{ left: rounds }', '{ lefd: rounds }'),
      'w.yaml:18: states.work.on.stuck[0].when is {"lefd":"rounds"}; expected { left: a budget }',
    ],
    [
      'a guard of two',
      changed('{ left: rounds }', '{ left: rounds, more: x }'),
      'w.yaml:18: states.work.on.stuck[0].when is {"left":"rounds","more":"x"}; expected { left: a budget }',
    ],
    [
      'half a guard',
      changed('{ left: rounds }', '{ flag: seen }'),
      'w.yaml:18: states.work.on.stuck[0].when.is is missing; expected a text',
    ],
    [
      'a move without a target',
      changed('{ to: ask }]', '{ spend: rounds }]'),
      'w.yaml:18: states.work.on.stuck[1].to is missing; expected a text',
    ],
    [
      'a move that is a number',
      changed('done: ask', 'done: 3'),
      'w.yaml:17: states.work.on.done is 3; expected a state, or { to: a state }',
    ],
    [
      'finish: false',
      changed('{ to: ask }]', '{ to: ask, finish: false }]'),
      'w.yaml:18: states.work.on.stuck[1].finish is false; expected true, or leave it out',
    ],
    [
      'a limit that is none',
      changed('limit: 2', 'limit: -1'),
      'w.yaml:9: budgets.rounds.limit is -1; expected a whole number from 0 to 1000',
    ],
    [
      'a scope there is not',
      changed('limit: 2', 'limit: 2, scope: week'),
      'w.yaml:9: budgets.rounds.scope is "week"; expected one of "run", "command", "item", "visit"',
    ],
    ['too many retries', `${small}retries: 21\n`, 'w.yaml:24: retries is 21; expected a whole number from 0 to 20'],
    [
      'an answer without a meaning',
      changed('fine: it is', 'fine: ""'),
      'w.yaml:21: states.ask.answers.fine is ""; expected a text that is not empty',
    ],
    [
      'roles that are a list',
      changed('roles:\n  worker: { agent: claude, writes: ["src/**"], reports: [done, stuck] }', 'roles: [worker]'),
      'w.yaml:4: roles is ["worker"]; expected a table of names',
    ],
    [
      'an alias bomb',
      `a: &a [1]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n`,
      'w.yaml: Excessive alias count',
    ],
  ])('%s', (_, text, message) => {
    expect(mistake(text)).toContain(message);
  });

  test('accepts 200 names', () => {
    const states = Array.from({ length: 198 }, (_, index) => `  s${index}: { ends: done }`).join('\n');
    expect(Object.keys(read(changed('  over: { ends: done }', states)).states)).toHaveLength(200);
  });

  test('a wrong value in TypeScript has no line', () => {
    expect(
      () =>
        readDefinition(
          { ...page, begin: 1 },
          inFile('w.ts', () => null),
        ).definition,
    ).toThrow('w.ts: begin is 1; expected a text that is not empty');
  });
});
