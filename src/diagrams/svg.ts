/** A picture as SVG, laid out by Graphviz. It follows the reader's light or dark mode by itself. */

import { dot } from './dot.ts';
import type { Picture } from './picture.ts';

/** Graphviz is large and takes its time to load: only who wants this format pays for it. */
export async function svg(picture: Picture): Promise<string> {
  const { instance } = await import('@viz-js/viz');
  const graphviz = await instance();
  const laidOut = graphviz.renderString(dot(picture), { format: 'svg', engine: 'dot' });
  return `${laidOut
    .slice(laidOut.indexOf('<svg'))
    .replace(/>/, `>\n${style}`)
    .replaceAll('font-family="Arial"', 'font-family="Helvetica, Arial, sans-serif"')
    .trimEnd()}\n`;
}

const edgeColours = { agent: '#60a5fa', check: '#9ca3af', person: '#4ade80', fault: '#f87171', edit: '#f59e0b' };
const edgeStyle = ([kind, colour]: readonly [
  string,
  string,
]): string => `  .edge.${kind} path, .edge.${kind} polygon { stroke: ${colour}; }
  .edge.${kind} polygon { fill: ${colour}; }
`;

/** Graphviz draws for a light background; these are the same colours for a dark one. */
const style = `<style>
@media (prefers-color-scheme: dark) {
  .graph > polygon { fill: #0d1117; }
  text { fill: #e6edf3; }
  .group path { stroke: #4b5563; }
  .edge text { fill: #c9d1d9; }
  .dispatch path { fill: #172554; stroke: #60a5fa; }
  .check polygon { fill: #1f2937; stroke: #9ca3af; }
  .decide polygon { fill: #422006; stroke: #f59e0b; }
  .parked ellipse, .final ellipse { fill: #052e16; stroke: #4ade80; }
  .final ellipse + ellipse { fill: none; }
${Object.entries(edgeColours).map(edgeStyle).join('')}  .faded text { fill: #6e7681; }
  .node.faded path, .node.faded polygon, .node.faded ellipse { fill: none; stroke: #4b5563; }
${edgeStyle(['faded', '#374151'])}}
</style>
`;
