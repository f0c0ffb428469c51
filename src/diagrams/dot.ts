/** A picture as DOT, for Graphviz. Every kind has a shape or line of its own, so that it reads without colour too. */

import { nodeKinds, type Picture, type PictureEdge, type PictureNode } from './picture.ts';

type Attributes = Readonly<Record<string, string | number>>;

const nodeLooks: Readonly<Record<PictureNode['kind'], Attributes>> = {
  dispatch: { shape: 'box', style: 'rounded,filled', fillcolor: '#dbeafe', color: '#1d4ed8', penwidth: 1.6 },
  check: { shape: 'box', style: 'filled', fillcolor: '#f3f4f6', color: '#6b7280' },
  decide: { shape: 'hexagon', style: 'filled', fillcolor: '#fef3c7', color: '#b45309', penwidth: 1.6 },
  parked: { shape: 'ellipse', style: 'filled', fillcolor: '#dcfce7', color: '#15803d', penwidth: 1.6 },
  final: { shape: 'ellipse', style: 'filled', fillcolor: '#dcfce7', color: '#15803d', penwidth: 1.6, peripheries: 2 },
};

const edgeLooks: Readonly<Record<PictureEdge['by'], Attributes>> = {
  agent: { color: '#1d4ed8', fontcolor: '#1e3a8a' },
  check: { color: '#6b7280', fontcolor: '#374151' },
  person: { color: '#15803d', fontcolor: '#14532d', penwidth: 2.2 },
  fault: { color: '#b91c1c', fontcolor: '#7f1d1d', style: 'dashed' },
  edit: { color: '#b45309', fontcolor: '#78350f', style: 'dotted', penwidth: 2.2 },
};

const faded: Attributes = { color: '#d1d5db', fontcolor: '#9ca3af' };
const font = { fontname: 'Arial' };

export function dot(picture: Picture): string {
  const { title, groups, nodes, edges, notes } = picture;
  return [
    `digraph ${quoted(title)} {`,
    `  graph [${text({ ...font, rankdir: 'TB', newrank: 'true', ranksep: 0.45, nodesep: 0.3, fontsize: 11, labeljust: 'l' })}]`,
    `  graph [label="${notes.map((note) => `${escaped(note)}\\l`).join('')}"]`,
    `  node [${text({ ...font, fontsize: 12, height: 0.4, margin: '0.12,0.05' })}]`,
    `  edge [${text({ ...font, fontsize: 10, arrowsize: 0.7 })}]`,
    ...legend(picture),
    ...groups.flatMap((group) => cluster(group.name, group.nodes.map(nodeText))),
    ...nodes.map((node) => `  ${nodeText(node)}`),
    ...edges.map((edge) => `  ${edgeText(edge)}`),
    '}',
    '',
  ].join('\n');
}

function cluster(name: string, lines: readonly string[]): string[] {
  const look = { label: name, class: 'group', style: 'rounded', color: '#9ca3af', fontcolor: '#374151', fontsize: 14 };
  return [
    `  subgraph ${quoted(`cluster ${name}`)} {`,
    `    graph [${text(look)}]`,
    ...lines.map((line) => `    ${line}`),
    '  }',
  ];
}

/** One sample of every kind there is, joined by the lines that leave it. */
function legend({ groups, nodes }: Picture): string[] {
  const used = new Set([...nodes, ...groups.flatMap((group) => group.nodes)].map(({ kind }) => kind));
  const kinds = nodeKinds.filter(({ kind }) => used.has(kind));
  const id = (kind: PictureNode['kind']): string => quoted(`legend ${kind}`);
  const samples = kinds.map(({ kind, means }) => {
    const look = { label: means, class: kind, ...nodeLooks[kind], fontsize: 10, height: 0.3 };
    return `${id(kind)} [${text(look)}]`;
  });
  const lines = kinds.slice(1).map(({ kind }, at) => {
    const above = kinds[at] ?? { kind, sends: '', by: 'check' };
    const look = { ...edgeLooks[above.by], class: above.by, label: ` ${above.sends} ` };
    return `${id(above.kind)} -> ${id(kind)} [${text(look)}]`;
  });
  return cluster('legend', [...samples, ...lines]);
}

function nodeText({ name, kind, lines, initial, here, visited }: PictureNode): string {
  const below = [...lines, ...(initial ? ['start'] : []), ...(here ? ['● the run is here'] : [])];
  const small = below.map((line) => `<br/><font point-size="9">${xml(line)}</font>`).join('');
  const look: Attributes = {
    ...nodeLooks[kind],
    class: [kind, ...(here ? ['here'] : []), ...(visited ? [] : ['faded'])].join(' '),
    ...(here && { penwidth: 4 }),
    ...(!visited && { ...faded, fillcolor: 'transparent' }),
  };
  return `${quoted(name)} [label=<<b>${xml(name)}</b>${small}>, ${text(look)}]`;
}

function edgeText({ from, to, by, lines, back, times }: PictureEdge): string {
  const label = [...lines, ...(times !== null && times > 0 ? [`×${times}`] : [])];
  const look: Attributes = {
    ...edgeLooks[by],
    class: times === 0 ? `${by} faded` : by,
    ...(times === 0 && { ...faded, penwidth: 1 }),
    ...(times !== null && times > 0 && { penwidth: 2.6 }),
    // Drawn from its head to its tail, so that ranks follow the reading order.
    ...(back && { dir: 'back' }),
    // On the other side than an agent's own loop, so that their words do not overlap.
    ...(from === to && by === 'fault' && { tailport: 'nw', headport: 'sw' }),
  };
  const [upper, lower] = back ? [to, from] : [from, to];
  // Spaces keep the words off the line.
  const shown = label.length === 0 ? '' : `label=" ${label.map(escaped).join(' \\n ')} ", `;
  return `${quoted(upper)} -> ${quoted(lower)} [${shown}${text(look)}]`;
}

function text(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => `${name}=${quoted(String(value))}`)
    .join(', ');
}

function quoted(value: string): string {
  return `"${escaped(value)}"`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`);
}

function xml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
