import { describe, expect, test } from 'vitest';
import type { Machine } from '../engine/machine.ts';
import { branchesOf } from '../engine/transition.ts';
import { toyMachine } from '../../test/toy.ts';
import { machine } from '../workflows/change/transition-table.ts';
import { machine as sessionMachine } from '../workflows/session/transition-table.ts';
import { diagramOf } from './diagram.ts';
import { dot } from './dot.ts';
import { formats, render } from './formats.ts';
import { mermaid } from './mermaid.ts';
import { pictureOf } from './picture.ts';
import { svg } from './svg.ts';
import { toyWalk } from './toy-walk.fixture.ts';

const toy = diagramOf('toy', toyMachine);
const change = diagramOf('change', machine);
const session = diagramOf('session', sessionMachine);

test('renders Mermaid', () => {
  expect(mermaid(pictureOf(toy))).toBe(`flowchart TB
  %% toy
  %% ◆ on a signal: passes a gate; in a state: entered only past that gate
  %% −1: spends the budget
  %% Left out: refusals, and faults (repeated while there are retries, then stop in stopped)
  subgraph legend
    l_dispatch("an agent works"):::dispatch
    l_decide{{"a person answers"}}:::decide
    l_parked(["waits for a command"]):::parked
    l_final((("over"))):::final
    l_dispatch -->|"its report"| l_decide
    l_decide ==>|"the answer"| l_parked
    l_parked ==>|"the command"| l_final
  end
  s_idle(["<b>idle</b>"]):::parked
  s_write("<b>write</b><br>writer, each of pages"):::dispatch
  s_review("<b>review</b><br>reviewer"):::dispatch
  s_ask{{"<b>ask</b><br>asks: spent"}}:::decide
  s_stopped(["<b>stopped</b>"]):::parked
  s_done((("<b>done</b><br>◆ reviewed"))):::final
  s_idle ==>|"go"| s_write
  s_write -->|"[more pages]"| s_write
  s_write -->|"[last of pages]"| s_review
  s_review -->|"approved ◆"| s_done
  s_review -->|"needs_fix [fixes left] −1"| s_write
  s_review -->|"needs_fix<br>[fixes spent, total left] −1"| s_ask
  s_review -->|"needs_fix<br>[fixes spent, total spent]"| s_stopped
  s_ask ==>|"again"| s_write
  s_ask ==>|"stop, withdrawn"| s_stopped
  s_stopped ==>|"go [asked: yes]"| s_write
  s_stopped ==>|"go [asked: no]"| s_review
  classDef dispatch fill:#dbeafe,stroke:#1d4ed8,color:#111827,stroke-width:2px
  classDef decide fill:#fef3c7,stroke:#b45309,color:#111827,stroke-width:2px
  classDef parked fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px
  classDef final fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px
`);
});

test('renders DOT', () => {
  expect(dot(pictureOf(toy))).toBe(String.raw`digraph "toy" {
  graph [fontname="Arial", rankdir="TB", newrank="true", ranksep="0.45", nodesep="0.3", fontsize="11", labeljust="l"]
  graph [label="◆ on a signal: passes a gate; in a state: entered only past that gate\l−1: spends the budget\lLeft out: refusals, and faults (repeated while there are retries, then stop in stopped)\l"]
  node [fontname="Arial", fontsize="12", height="0.4", margin="0.12,0.05"]
  edge [fontname="Arial", fontsize="10", arrowsize="0.7"]
  subgraph "cluster legend" {
    graph [label="legend", class="group", style="rounded", color="#9ca3af", fontcolor="#374151", fontsize="14"]
    "legend dispatch" [label="an agent works", class="dispatch", shape="box", style="rounded,filled", fillcolor="#dbeafe", color="#1d4ed8", penwidth="1.6", fontsize="10", height="0.3"]
    "legend decide" [label="a person answers", class="decide", shape="hexagon", style="filled", fillcolor="#fef3c7", color="#b45309", penwidth="1.6", fontsize="10", height="0.3"]
    "legend parked" [label="waits for a command", class="parked", shape="ellipse", style="filled", fillcolor="#dcfce7", color="#15803d", penwidth="1.6", fontsize="10", height="0.3"]
    "legend final" [label="over", class="final", shape="ellipse", style="filled", fillcolor="#dcfce7", color="#15803d", penwidth="1.6", peripheries="2", fontsize="10", height="0.3"]
    "legend dispatch" -> "legend decide" [color="#1d4ed8", fontcolor="#1e3a8a", class="agent", label=" its report "]
    "legend decide" -> "legend parked" [color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person", label=" the answer "]
    "legend parked" -> "legend final" [color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person", label=" the command "]
  }
  "idle" [label=<<b>idle</b><br/><font point-size="9">start</font>>, shape="ellipse", style="filled", fillcolor="#dcfce7", color="#15803d", penwidth="1.6", class="parked"]
  "write" [label=<<b>write</b><br/><font point-size="9">writer, each of pages</font>>, shape="box", style="rounded,filled", fillcolor="#dbeafe", color="#1d4ed8", penwidth="1.6", class="dispatch"]
  "review" [label=<<b>review</b><br/><font point-size="9">reviewer</font>>, shape="box", style="rounded,filled", fillcolor="#dbeafe", color="#1d4ed8", penwidth="1.6", class="dispatch"]
  "ask" [label=<<b>ask</b><br/><font point-size="9">asks: spent</font>>, shape="hexagon", style="filled", fillcolor="#fef3c7", color="#b45309", penwidth="1.6", class="decide"]
  "stopped" [label=<<b>stopped</b>>, shape="ellipse", style="filled", fillcolor="#dcfce7", color="#15803d", penwidth="1.6", class="parked"]
  "done" [label=<<b>done</b><br/><font point-size="9">◆ reviewed</font>>, shape="ellipse", style="filled", fillcolor="#dcfce7", color="#15803d", penwidth="1.6", peripheries="2", class="final"]
  "idle" -> "write" [label=" go ", color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person"]
  "write" -> "write" [label=" [more pages] ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent"]
  "write" -> "review" [label=" [last of pages] ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent"]
  "review" -> "done" [label=" approved ◆ ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent"]
  "write" -> "review" [label=" needs_fix [fixes left] −1 ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent", dir="back"]
  "review" -> "ask" [label=" needs_fix \n [fixes spent, total left] −1 ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent"]
  "review" -> "stopped" [label=" needs_fix \n [fixes spent, total spent] ", color="#1d4ed8", fontcolor="#1e3a8a", class="agent"]
  "write" -> "ask" [label=" again ", color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person", dir="back"]
  "ask" -> "stopped" [label=" stop, withdrawn ", color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person"]
  "write" -> "stopped" [label=" go [asked: yes] ", color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person", dir="back"]
  "review" -> "stopped" [label=" go [asked: no] ", color="#15803d", fontcolor="#14532d", penwidth="2.2", class="person", dir="back"]
}
`);
});

describe('the picture of change', () => {
  const picture = pictureOf(change);

  test('has every state once', () => {
    const nodes = [...picture.nodes, ...picture.groups.flatMap((group) => group.nodes)];
    expect(nodes.map(({ name }) => name).toSorted()).toEqual(Object.keys(machine.states).toSorted());
    expect(picture.groups.map(({ name, nodes }) => [name, nodes.length])).toEqual([
      ['plan', 13],
      ['impl', 8],
      ['archive', 7],
    ]);
  });

  test.each(moves(machine))('shows %s.%s → %s', (from, signal, to) => {
    const edge = picture.edges.find((each) => each.from === from && each.to === to);
    expect(edge).toBeDefined();
    const words = edge?.lines.join(' ').split(/[^\w]+/) ?? [];
    const isOnly = machine.signals[from]?.length === 1;
    expect(words.includes(signal) || isOnly).toBe(true);
  });

  test('draws parallel transitions once, and none for faults', () => {
    const keys = picture.edges.map(({ from, to }) => `${from} ${to}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(picture.edges.filter(({ by }) => by === 'fault' || by === 'edit')).toEqual([]);
  });

  test('reads downwards: only what repeats, undoes or gives up leads back', () => {
    const back = picture.edges.filter((edge) => edge.back).map(({ from, to }) => `${from} ${to}`);
    expect(back).toEqual(
      expect.arrayContaining(['revise order', 'fix tally', 'complete challenged', 'proposed survey']),
    );
    expect(back).not.toContain('challenged confirm_plan');
    expect(back).not.toContain('complete confirm_code');
  });

  test('becomes a drawing that names every state, in both modes', async () => {
    const drawing = await svg(picture);
    for (const name of Object.keys(machine.states)) expect(drawing).toContain(`>${name}</text>`);
    expect(drawing).toMatch(/^<svg [^]*prefers-color-scheme: dark[^]*<\/svg>\n$/);
    expect(await svg(picture)).toBe(drawing);
  });
});

describe('a run in the picture', () => {
  const walk = toyWalk(['go', 'written', 'failed', 'written', 'needs_fix', 'failed', 'failed']);
  const picture = pictureOf(toy, walk);

  test('transitions it took are counted, faults it had are shown', () => {
    const taken = picture.edges
      .filter(({ times }) => times !== 0)
      .map(({ from, to, by, times }) => [from, to, by, times]);
    expect(taken).toEqual([
      ['idle', 'write', 'person', 1],
      ['write', 'write', 'agent', 1],
      ['write', 'review', 'agent', 1],
      ['review', 'write', 'agent', 1],
      ['write', 'write', 'fault', 2],
      ['write', 'stopped', 'fault', 1],
    ]);
  });

  test('marks the current state and the states not visited in every format', async () => {
    const nodes = new Map(picture.nodes.map((node) => [node.name, node]));
    expect([...nodes.values()].filter(({ here }) => here).map(({ name }) => name)).toEqual(['stopped']);
    expect([...nodes.values()].filter(({ visited }) => !visited).map(({ name }) => name)).toEqual(['ask', 'done']);
    for (const format of ['dot', 'mermaid', 'svg'] as const)
      expect(await render(format, toy, walk), format).toMatch(/stopped[^]*● the run is here/);
    expect(mermaid(picture)).toContain('class s_done faded');
    expect(mermaid(picture)).toMatch(/linkStyle [\d,]+ stroke-width:4px/);
    expect(dot(picture)).toContain('×2');
  });
});

test('pins the keys of the JSON', async () => {
  const read = async (walk = null as Parameters<typeof render>[2]): Promise<Record<string, unknown>> =>
    JSON.parse(await render('json', toy, walk));
  const document = await read();
  expect(Object.keys(document)).toEqual([
    'workflow',
    'initial',
    'commands',
    'states',
    'transitions',
    'budgets',
    'gates',
    'run',
  ]);
  expect(document).toMatchObject({
    workflow: 'toy',
    run: null,
    gates: [{ name: 'reviewed', of: 'text', guards: ['done'], passedBy: ['review.approved'] }],
  });
  expect((document['states'] as unknown[])[1]).toEqual({
    name: 'write',
    kind: 'dispatch',
    what: 'writer',
    each: 'pages',
    makes: 'text',
    outcome: null,
    gates: [],
    area: 'go',
  });
  expect(document['transitions']).toContainEqual({
    from: 'review',
    signal: 'needs_fix',
    branch: 1,
    by: 'agent',
    conditions: ['fixes spent', 'total left'],
    leads: 'on',
    to: ['ask'],
    does: ['spends total', 'sets asked: yes'],
    spends: 'total',
    remembers: null,
    refusal: null,
    outcome: null,
    passes: [],
  });
  const { run } = await read(toyWalk(['go']));
  expect(run).toEqual({
    run: 'first',
    state: 'write',
    outcome: null,
    budgets: { fixes: 2, retries: 1, total: 5 },
    path: ['idle', 'write'],
    taken: [{ from: 'idle', signal: 'go', branch: 0, to: 'write', times: 1 }],
  });
});

test('attack 2.19: escapes names that a format would interpret', async () => {
  const odd: Machine = {
    initial: 'end',
    signals: { end: [], 'a "quoted" | <b>': [] },
    commands: ['graph'],
    budgets: {},
    flags: {},
    lists: [],
    gates: {},
    states: {
      end: { kind: 'parked', outcome: 'done', on: { graph: { to: 'a "quoted" | <b>' } } },
      'a "quoted" | <b>': { kind: 'final', outcome: 'done', on: { graph: { refuse: 'Over', outcome: 'done' } } },
    },
  };
  const diagram = diagramOf('odd', odd);
  for (const format of formats) expect(await render(format, diagram), format).toContain('quoted');
  expect(await render('svg', diagram)).toContain('a &quot;quoted&quot; | &lt;b&gt;');
  expect(await render('matrix', diagram)).toContain(String.raw`a "quoted" \| <b>`);
  expect(await render('mermaid', diagram)).toContain('s_end(["<b>end</b>"])');
});

/** What a picture shows of a table: neither refusals nor faults, nor transitions back to many states. */
function moves({ states, signals }: typeof machine): [from: string, signal: string, to: string][] {
  return Object.entries(states).flatMap(([from, state]) =>
    Object.entries(state.on)
      .filter(([signal]) => state.kind !== 'dispatch' || signals[from]?.includes(signal))
      .flatMap(([signal, route]) =>
        branchesOf(route).flatMap((branch): [string, string, string][] => {
          if ('refuse' in branch || branch.to === 'return') return [];
          return [[from, signal, branch.to === 'again' ? from : branch.to]];
        }),
      ),
  );
}

describe('P4: states that nearly every state leads to', () => {
  const { edges, notes, nodes } = pictureOf(session);
  const between = (from: string, to: string): readonly string[] =>
    edges.flatMap((edge) => (edge.from === from && edge.to === to ? edge.lines : []));

  test('draws them without the transitions to them, with a note', () => {
    const hubs = ['ask_questions', 'recheck', 'blocked'];
    expect(nodes.map(({ name }) => name)).toEqual(expect.arrayContaining(hubs));
    // An answer that is asked for again stays where it is.
    expect(edges.filter(({ from, to }) => hubs.includes(to) && from !== to)).toEqual([]);
    expect(notes.join()).toContain('transitions to ask_questions, recheck, blocked, which nearly every state leads to');
  });

  test('draws a transition through one to its next state', () => {
    expect(between('ask_fix_security', 'fix_security')).toEqual(['try_again']);
    expect(between('review_strategy', 'schedule')).toEqual(['per_batch ◆, single_final ◆']);
  });

  test('draws a workflow without any completely', () => {
    expect(pictureOf(change).notes.join()).not.toContain('nearly everything');
  });
});
