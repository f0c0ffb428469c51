/**
 * The content of a picture in any format: states in groups, and one edge for parallel transitions.
 *
 * P1. Refusals are left out: they lead nowhere.
 * P2. Faults are left out, as every dispatch has the same ones: a note tells them. Those a run took are shown.
 * P3. A transition back that could lead to many states is a line in the state it starts from. Where a run took it, it is shown.
 * P4. Transitions to a state that nearly everything leads to are left out: a note tells them. Those that go through it to
 *     another state are drawn to that one; those a run took are shown as they are.
 */

import { isRest } from '../engine/machine.ts';
import type { Diagram, DiagramState, Transition } from './diagram.ts';
import { isOf, type Walk, type WalkedTransition } from './run-walk.ts';
import { groupedBy } from './table.ts';

export interface Picture {
  readonly title: string;
  readonly groups: readonly { readonly name: string; readonly nodes: readonly PictureNode[] }[];
  /** Nodes in no group. */
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
  /** Omissions, and how to read the symbols. */
  readonly notes: readonly string[];
}

export interface PictureNode {
  readonly name: string;
  readonly kind: DiagramState['kind'];
  /** Lines below the name. */
  readonly lines: readonly string[];
  readonly initial: boolean;
  /** The current state of the run. */
  readonly here: boolean;
  /** Whether the run was there; true for all when there is no run. */
  readonly visited: boolean;
}

export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly by: Transition['by'] | 'edit';
  readonly lines: readonly string[];
  /** Whether it leads to where the reader has been before. */
  readonly back: boolean;
  /** Times the run took it; null when there is no run. */
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
  { kind: 'parked', means: 'waits for a command', by: 'person', sends: 'the command' },
  { kind: 'final', means: 'over', by: 'person', sends: 'nothing' },
];

/** A group of fewer states is no help. */
const groupStatesMin = 3;
const lineCharsMax = 28;
/** A transition back to more states than this is told in words. */
const backTargetsMax = 2;
/** A state that more states than this lead to buries the rest under its lines. */
const sourcesMax = 11;

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
      ...(grouped.length > 0 ? ['A frame holds the states that its command leads to'] : []),
      ...notesOf(diagram, walk),
    ],
  };
}

function nodeOf({ initial, transitions }: Diagram, state: DiagramState, walk: Walk | null): PictureNode {
  const { name, kind, what, each, gates } = state;
  const back = transitions.filter((each) => each.from === name && isToldInWords(each));
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
    here: walk?.state === name,
    visited: walk === null || walk.path.includes(name),
  };
}

function isToldInWords({ leads, to, by }: Transition): boolean {
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
    (each) => each.by !== 'fault' && each.leads !== 'refused' && !isToldInWords(each),
  );
  const unseen = new Set(walk?.taken);
  for (const parallel of groupedBy(shown, ({ from, to, conditions }) => [from, to, conditions].join('|'))) {
    const [first] = parallel;
    for (const to of first.to) {
      const taken = [...unseen].filter((one) => one.to === to && parallel.some((each) => isOf(one, each)));
      for (const one of taken) unseen.delete(one);
      add({
        from: first.from,
        to,
        by: first.by,
        lines: linesOf(diagram, parallel),
        times: walk && taken.reduce((sum, one) => sum + one.times, 0),
      });
    }
  }
  for (const taken of unseen) add(takenEdge(diagram, taken));
  return [...edges.values()];
}

/** P4. */
function throughHubs(diagram: Diagram, walk: Walk | null): readonly Transition[] {
  const hubs = hubsOf(diagram);
  return diagram.transitions.flatMap((each) => {
    const isWalked = walk?.taken.some((taken) => isOf(taken, each)) ?? false;
    if (each.leads !== 'on' || isWalked || !each.to.some((to) => hubs.has(to))) return [each];
    const { remembers } = each;
    return remembers === null || remembers === each.from ? [] : [{ ...each, to: [remembers] }];
  });
}

/** States that nearly everything leads to. */
function hubsOf({ states, transitions }: Diagram): ReadonlySet<string> {
  const sources = new Map<string, Set<string>>(states.map(({ name }) => [name, new Set()]));
  for (const { from, to, by, leads } of transitions)
    if (by !== 'fault' && leads === 'on') for (const name of to) sources.get(name)?.add(from);
  return new Set([...sources].filter(([, from]) => from.size > sourcesMax).map(([name]) => name));
}

/** A transition that the picture leaves out, or the table does not have any more. */
function takenEdge(diagram: Diagram, { from, to, signal, times }: WalkedTransition): Omit<PictureEdge, 'back'> {
  const by = diagram.transitions.find((each) => each.from === from && each.signal === signal)?.by ?? 'check';
  return { from, to, by: signal === null ? 'edit' : by, lines: [signal ?? 'edited by hand'], times };
}

/** The signals and what must hold, on as many lines as they need. The only signal needs no words. */
function linesOf(diagram: Diagram, parallel: readonly [Transition, ...Transition[]]): string[] {
  const [first] = parallel;
  const own = diagram.transitions.filter(({ from, by }) => from === first.from && by !== 'fault');
  const isOnly = first.by !== 'person' && own.every(({ signal }) => signal === first.signal);
  const signals = isOnly ? [] : parallel.map(({ signal, passes }) => (passes.length > 0 ? `${signal} ◆` : signal));
  const spends = parallel.some(({ spends }) => spends !== null) ? ' −1' : '';
  const conditions = first.conditions.length > 0 ? [`[${first.conditions.join(', ')}]${spends}`] : [];
  const line = [...(isOnly ? [] : [signals.join(', ')]), ...conditions].join(' ');
  if (line.length <= lineCharsMax) return line === '' ? [] : [line];
  return [...signals.map((signal, at) => (at < signals.length - 1 ? `${signal},` : signal)), ...conditions];
}

function notesOf(diagram: Diagram, walk: Walk | null): string[] {
  const { states, transitions, gates } = diagram;
  const stops = states.filter(
    (state) => isRest(state) && transitions.some(({ by, to }) => by === 'fault' && to.includes(state.name)),
  );
  const faults = walk ? 'faults it did not have' : 'faults';
  const rests = stops.map(({ name }) => name).join(', ');
  const hubs = [...hubsOf(diagram)].join(', ');
  return [
    ...(gates.length > 0 ? ['◆ on a signal: passes a gate; in a state: entered only past that gate'] : []),
    ...(transitions.some(({ spends }) => spends !== null) ? ['−1: spends the budget'] : []),
    ...(transitions.some(isToldInWords) ? ['↩ goes back to the step it stopped at'] : []),
    ...(rests === ''
      ? []
      : [`Left out: refusals, and ${faults} (repeated while there are retries, then stop in ${rests})`]),
    ...(hubs === ''
      ? []
      : [`Left out too: transitions to ${hubs}, which nearly every state leads to; what they lead on to is drawn`]),
    ...(walk ? ['×n: how often the run took it'] : []),
  ];
}

/** A number for each state, in the order a workflow is read: the states of the first command, where they come to rest, those of the next. */
function readingOrder(diagram: Diagram): ReadonlyMap<string, number> {
  const parts = partsOf(diagram);
  const depth = depthFirst(diagram);
  const before = (one: DiagramState, other: DiagramState): number =>
    (parts.get(one.name) ?? 0) - (parts.get(other.name) ?? 0) ||
    (depth.get(one.name) ?? 0) - (depth.get(other.name) ?? 0);
  return new Map(diagram.states.toSorted(before).map(({ name }, place) => [name, place]));
}

/** Areas have even numbers, the rests an area leads to the odd one after it. */
function partsOf({ initial, commands, states, transitions }: Diagram): ReadonlyMap<string, number> {
  const areaOf = new Map(states.map(({ name, area }) => [name, area]));
  const parts = new Map<string, number>();
  for (const { name, area } of states) if (area !== null) parts.set(name, 2 * commands.indexOf(area));
  for (const state of states.filter(isRest)) {
    const leading = transitions.filter(({ from, to }) => to.includes(state.name) && areaOf.get(from) !== null);
    const first = Math.min(...leading.map(({ from }) => parts.get(from) ?? 0), 2 * commands.length);
    parts.set(state.name, state.name === initial ? -1 : first + 1);
  }
  return parts;
}

/** Every state after those that lead to it, as far as nothing leads back; the first transition of a table is the usual one. */
function depthFirst({ initial, states, transitions }: Diagram): ReadonlyMap<string, number> {
  const finished: string[] = [];
  const seen = new Set<string>();
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const next = transitions.filter(({ from, by, leads }) => from === name && by !== 'fault' && leads === 'on');
    for (const { to } of next) for (const each of to) visit(each);
    finished.push(name);
  };
  for (const name of [initial, ...states.map((state) => state.name)]) visit(name);
  return new Map(finished.toReversed().map((name, place) => [name, place]));
}
