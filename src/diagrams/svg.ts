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
  .edge.agent path, .edge.agent polygon { stroke: #60a5fa; }
  .edge.agent polygon { fill: #60a5fa; }
  .edge.check path, .edge.check polygon { stroke: #9ca3af; }
  .edge.check polygon { fill: #9ca3af; }
  .edge.person path, .edge.person polygon { stroke: #4ade80; }
  .edge.person polygon { fill: #4ade80; }
  .edge.fault path, .edge.fault polygon { stroke: #f87171; }
  .edge.fault polygon { fill: #f87171; }
  .edge.edit path, .edge.edit polygon { stroke: #f59e0b; }
  .edge.edit polygon { fill: #f59e0b; }
  .faded text { fill: #6e7681; }
  .node.faded path, .node.faded polygon, .node.faded ellipse { fill: none; stroke: #4b5563; }
  .edge.faded path, .edge.faded polygon { stroke: #374151; }
  .edge.faded polygon { fill: #374151; }
}
</style>
`;
