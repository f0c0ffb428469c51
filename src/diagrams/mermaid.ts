/** A picture as a Mermaid flowchart, which forges and editors draw by themselves. */

import { nodeKinds, type Picture, type PictureEdge, type PictureNode } from './picture.ts';

/** Shapes first, colours second: they read without one another. Text and fill are both set, for light and dark pages. */
const shapes: Readonly<Record<PictureNode['kind'], readonly [string, string]>> = {
  dispatch: ['(', ')'],
  check: ['[', ']'],
  decide: ['{{', '}}'],
  parked: ['([', '])'],
  final: ['(((', ')))'],
};

const looks: Readonly<Record<PictureNode['kind'] | 'here' | 'faded', string>> = {
  dispatch: 'fill:#dbeafe,stroke:#1d4ed8,color:#111827,stroke-width:2px',
  check: 'fill:#f3f4f6,stroke:#6b7280,color:#111827',
  decide: 'fill:#fef3c7,stroke:#b45309,color:#111827,stroke-width:2px',
  parked: 'fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px',
  final: 'fill:#dcfce7,stroke:#15803d,color:#111827,stroke-width:2px',
  here: 'stroke-width:6px',
  faded: 'fill:none,stroke:#9ca3af,color:#9ca3af,stroke-dasharray:3',
};

const lines: Readonly<Record<PictureEdge['by'], string>> = {
  agent: '-->',
  check: '-->',
  person: '==>',
  fault: '-.->',
  edit: '-.->',
};

export function mermaid(picture: Picture): string {
  const { title, groups, nodes, edges, notes } = picture;
  // Mermaid sets groups beside each other, with long lines between them: without them its picture reads better.
  const unordered = [...groups.flatMap((group) => group.nodes), ...nodes];
  const all = [...unordered.filter(({ initial }) => initial), ...unordered.filter(({ initial }) => !initial)];
  const ids = new Map(all.map(({ name }, at) => [name, idOf(name, at)]));
  const id = (name: string): string => ids.get(name) ?? idOf(name, ids.size);
  const kinds = nodeKinds.filter(({ kind }) => all.some((node) => node.kind === kind));
  const marks = [
    ...kinds.map(({ kind }) => kind),
    ...(all.some(({ here }) => here) ? (['here', 'faded'] as const) : []),
  ];
  return [
    'flowchart TB',
    ...[title, ...notes].map((note) => `  %% ${note}`),
    ...legend(kinds),
    ...all.map((node) => `  ${nodeText(node, id)}`),
    ...edges.map((edge) => `  ${edgeText(edge, id)}`),
    ...lineLooks(edges, kinds.length - 1),
    ...marks.map((mark) => `  classDef ${mark} ${looks[mark]}`),
    '',
  ].join('\n');
}

/** One sample of every kind there is, joined by the lines that leave it. */
function legend(kinds: typeof nodeKinds): string[] {
  const samples = kinds.map(({ kind, means }) => {
    const [open, close] = shapes[kind];
    return `    l_${kind}${open}"${means}"${close}:::${kind}`;
  });
  const joins = kinds.slice(1).map(({ kind }, at) => {
    const above = kinds[at] ?? { kind, sends: '', by: 'check' };
    return `    l_${above.kind} ${lines[above.by]}|"${above.sends}"| l_${kind}`;
  });
  return ['  subgraph legend', ...samples, ...joins, '  end'];
}

function nodeText({ name, kind, lines, here, visited }: PictureNode, id: (name: string) => string): string {
  const [open, close] = shapes[kind];
  const label = [`<b>${escaped(name)}</b>`, ...lines.map(escaped), ...(here ? ['● the run is here'] : [])].join('<br>');
  // A second class overrides the first.
  const mark = here ? 'here' : visited ? null : 'faded';
  return `${id(name)}${open}"${label}"${close}:::${kind}${mark === null ? '' : `\n  class ${id(name)} ${mark}`}`;
}

function edgeText({ from, to, by, lines: label, times }: PictureEdge, id: (name: string) => string): string {
  const shown = [...label, ...(times !== null && times > 0 ? [`×${times}`] : [])].map(escaped).join('<br>');
  return `${id(from)} ${lines[by]}${shown === '' ? '' : `|"${shown}"|`} ${id(to)}`;
}

/** Mermaid names lines by their number; those of the legend come first. */
function lineLooks(edges: readonly PictureEdge[], before: number): string[] {
  const numbers = (isOne: (edge: PictureEdge) => boolean): string =>
    edges.flatMap((edge, at) => (isOne(edge) ? [before + at] : [])).join(',');
  const taken = numbers(({ times }) => times !== null && times > 0);
  const faded = numbers(({ times }) => times === 0);
  return [
    ...(taken === '' ? [] : [`  linkStyle ${taken} stroke-width:4px`]),
    ...(faded === '' ? [] : [`  linkStyle ${faded} stroke:#9ca3af,stroke-width:1px,opacity:0.4`]),
  ];
}

/** Words such as `end` mean something to Mermaid, so no name is used bare. */
function idOf(name: string, at: number): string {
  return /^[A-Za-z]\w*$/.test(name) ? `s_${name}` : `s${at}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '#amp;').replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;');
}
