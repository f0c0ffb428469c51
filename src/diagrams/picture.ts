/**
 * What a picture of a workflow shows, before any format: states in groups, and one edge where several ways run parallel.
 *
 * P1. Refusals are left out: they lead nowhere.
 * P2. Faults are left out, as every dispatch has the same ones: a note tells them. Those a run took are shown.
 * P3. A way back that could lead to many states is a line in the state it starts from. Where a run took it, it is shown.
 * P4. Ways to a state that nearly everything leads to are left out: a note tells them. Those that go through it to
 *     another state are drawn to that one; those a run took are shown as they are.
 */

import { isRest, type Diagram, type DiagramState, type Way } from './diagram.ts';
import { groupedBy } from './groups.ts';
import { readingOrder } from './reading-order.ts';
import { isOf, type Taken, type Walk } from './walk.ts';

export interface Picture {
  readonly title: string;
  readonly groups: readonly { readonly name: string; readonly nodes: readonly PictureNode[] }[];
  /** Nodes in no group. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** What the picture leaves out, and how to read the rest. */
  readonly notes: readonly string[];
}

export interface PictureNode {
  readonly name: string;
  readonly kind: DiagramState['kind'];
  /** Lines below the name. */
  readonly lines: readonly string[];
  readonly initial: boolean;
  readonly guarded: boolean;
  /** Where the run is. */
  readonly here: boolean;
  /** Whether the run was there; true for all when there is no run. */
  readonly visited: boolean;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly by: Way['by'] | 'edit';
  readonly lines: readonly string[];
  /** Whether it leads to where the reader has been before. */
  readonly back: boolean;
  /** How often the run took it; null when there is no run. */
  readonly times: number | null;
}

/** In the order a legend tells them: what happens in a state, and what leaves it. */
export const nodeKinds: readonly {
  readonly kind: PictureNode['kind'];
  readonly means: string;
  readonly by: PictureEdge['by'];
  readonly sends: string;
}[] = [
  { kind: 'dispatch', means: 'an agent works', by: 'agent', sends: 'its report' },
  { kind: 'check', means: 'a local check', by: 'check', sends: 'what it found' },
  { kind: 'decide', means: 'a person answers', by: 'person', sends: 'the answer' },
  { kind: 'parked', means: 'rests until a command', by: 'person', sends: 'the command' },
  { kind: 'final', means: 'over', by: 'person', sends: 'nothing' },
];

/** A group of fewer states is no help. */
const groupStatesMin = 3;
const lineCharsMax = 28;
/** A way back to more states than this is told in words. */
const backTargetsMax = 2;
/** A state that more states than this lead to buries the rest under its lines. */
const sourcesMax = 10;

export function pictureOf(diagram: Diagram, walk: Walk | null = null): Picture {
  const node = (state: DiagramState): PictureNode => nodeOf(diagram, state, walk);
  const areas = diagram.commands
    .map((name) => ({ name, states: diagram.states.filter(({ area }) => area === name) }))
    .filter(({ states }) => states.length >= groupStatesMin);
  const grouped = areas.length > 1 ? areas : [];
  const inGroup = new Set(grouped.flatMap(({ states }) => states));
  return {
    title: walk ? `${walk.run} (${diagram.workflow})` : diagram.workflow,
    groups: grouped.map(({ name, states }) => ({ name, nodes: states.map(node) })),
    nodes: diagram.states.filter((state) => !inGroup.has(state)).map(node),
    edges: edgesOf(diagram, walk),
    notes: [
      ...(grouped.length > 0 ? ['A frame holds what the command on it sets off'] : []),
      ...notesOf(diagram, walk),
    ],
  };
}

function nodeOf({ initial, ways }: Diagram, state: DiagramState, walk: Walk | null): PictureNode {
  const { name, kind, what, each, gates } = state;
  const back = ways.filter((way) => way.from === name && isToldInWords(way));
  return {
    name,
    kind,
    lines: [
      ...(kind === 'dispatch' ? [each === null ? (what ?? '') : `${what}, each of ${each}`] : []),
      ...(kind === 'decide' ? [`asks: ${what}`] : []),
      ...gates.map((gate) => `◆ ${gate}`),
      ...back.map(({ signal, conditions }) => `↩ ${[signal, ...conditions].join(', ')}`),
    ],
    initial: name === initial,
    guarded: gates.length > 0,
    here: walk?.state === name,
    visited: walk === null || walk.path.includes(name),
  };
}

function isToldInWords({ leads, to, by }: Way): boolean {
  return leads === 'back' && by !== 'fault' && to.length > backTargetsMax;
}

function edgesOf(diagram: Diagram, walk: Walk | null): PictureEdge[] {
  const edges = new Map<string, PictureEdge>();
  const places = readingOrder(diagram);
  const add = (edge: Omit<PictureEdge, 'back'>): void => {
    const key = `${edge.from} ${edge.to} ${edge.by}`;
    const known = edges.get(key);
    const times = edge.times === null ? null : (known?.times ?? 0) + edge.times;
    const back = (places.get(edge.to) ?? 0) < (places.get(edge.from) ?? 0);
    edges.set(key, { ...edge, lines: [...(known?.lines ?? []), ...edge.lines], back, times });
  };
  const shown = throughHubs(diagram, walk).filter(
    (way) => way.by !== 'fault' && way.leads !== 'refused' && !isToldInWords(way),
  );
  const unseen = new Set(walk?.taken);
  for (const ways of groupedBy(shown, (way) => [way.from, way.to, way.conditions].join('|'))) {
    const [first] = ways;
    for (const to of first.to) {
      const taken = [...unseen].filter((one) => one.to === to && ways.some((way) => isOf(one, way)));
      for (const one of taken) unseen.delete(one);
      add({ from: first.from, to, by: first.by, lines: linesOf(diagram, ways), times: walk ? sum(taken) : null });
    }
  }
  for (const taken of unseen) add(takenEdge(diagram, taken));
  return [...edges.values()];
}

/** P4. */
function throughHubs(diagram: Diagram, walk: Walk | null): readonly Way[] {
  const hubs = hubsOf(diagram);
  return diagram.ways.flatMap((way) => {
    const isWalked = walk?.taken.some((taken) => isOf(taken, way)) ?? false;
    if (way.leads !== 'on' || isWalked || !way.to.some((to) => hubs.has(to))) return [way];
    const { remembers } = way;
    return remembers === null || remembers === way.from ? [] : [{ ...way, to: [remembers] }];
  });
}

/** States that nearly everything leads to. */
function hubsOf({ states, ways }: Diagram): ReadonlySet<string> {
  const sources = new Map<string, Set<string>>(states.map(({ name }) => [name, new Set()]));
  for (const { from, to, by, leads } of ways)
    if (by !== 'fault' && leads === 'on') for (const name of to) sources.get(name)?.add(from);
  return new Set([...sources].filter(([, from]) => from.size > sourcesMax).map(([name]) => name));
}

function sum(taken: readonly Taken[]): number {
  return taken.reduce((total, { times }) => total + times, 0);
}

/** A way the picture leaves out, or the table does not have any more. */
function takenEdge(diagram: Diagram, { from, to, signal, times }: Taken): Omit<PictureEdge, 'back'> {
  const way = diagram.ways.find((each) => each.from === from && each.signal === signal);
  return { from, to, by: signal === null ? 'edit' : (way?.by ?? 'check'), lines: [signal ?? 'edited by hand'], times };
}

/** The signals and what must hold, on as many lines as they need. The only way on needs no words. */
function linesOf(diagram: Diagram, ways: readonly [Way, ...Way[]]): string[] {
  const [first] = ways;
  const own = diagram.ways.filter(({ from, by }) => from === first.from && by !== 'fault');
  const isOnly = first.by !== 'person' && own.every(({ signal }) => signal === first.signal);
  const signals = isOnly ? [] : ways.map(signalText);
  const spends = ways.some((way) => way.spends !== null) ? ' −1' : '';
  const conditions = first.conditions.length > 0 ? [`[${first.conditions.join(', ')}]${spends}`] : [];
  const line = [...(isOnly ? [] : [signals.join(', ')]), ...conditions].join(' ');
  if (line.length <= lineCharsMax) return line === '' ? [] : [line];
  return [...signals.map((signal, at) => (at < signals.length - 1 ? `${signal},` : signal)), ...conditions];
}

function signalText({ signal, passes }: Way): string {
  return passes.length > 0 ? `${signal} ◆` : signal;
}

function notesOf(diagram: Diagram, walk: Walk | null): string[] {
  const { states, ways, gates } = diagram;
  const stops = states.filter(
    (state) => isRest(state) && ways.some(({ by, to }) => by === 'fault' && to.includes(state.name)),
  );
  const faults = walk ? 'faults it did not have' : 'faults';
  const rests = stops.map(({ name }) => name).join(', ');
  const hubs = [...hubsOf(diagram)].join(', ');
  return [
    ...(gates.length > 0 ? ['◆ on a signal: passes a gate; in a state: entered only past that gate'] : []),
    ...(ways.some(({ spends }) => spends !== null) ? ['−1: spends the budget'] : []),
    ...(ways.some(isToldInWords) ? ['↩ goes back to the step it stopped at'] : []),
    ...(rests === ''
      ? []
      : [`Left out: refusals, and ${faults} (repeated while there are retries, then rest in ${rests})`]),
    ...(hubs === ''
      ? []
      : [`Left out too: ways to ${hubs}, which nearly everything leads to; what they lead on to is drawn`]),
    ...(walk ? ['×n: how often the run went this way'] : []),
  ];
}
