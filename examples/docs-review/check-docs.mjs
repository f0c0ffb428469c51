/** Every code fence that is opened is closed: a check any project could have. */

import { readdirSync, readFileSync } from 'node:fs';

const broken = readdirSync('docs').filter((name) => {
  const fences = readFileSync(`docs/${name}`, 'utf8').match(/^```/gm) ?? [];
  return fences.length % 2 === 1;
});
for (const name of broken) console.log(`docs/${name}: a code fence is not closed`);
process.exitCode = broken.length > 0 ? 1 : 0;
