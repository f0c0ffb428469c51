/** A process that claims one name after the other, as soon as it is told to; prints those it got. */

import { claimName } from '../../src/workspace/claims.ts';

const [commonDir = '', owner = '', rounds = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
process.stdin.once('data', () => {
  const names = Array.from({ length: Number(rounds) }, (_, index) => `N-${index + 1}`);
  const won = names.filter((name) => claimName({ commonDir, scope: 'test', name, owner }));
  process.stdout.write(JSON.stringify(won));
  process.stdin.destroy();
});
