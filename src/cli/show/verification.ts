/** The result of verifying a workflow, for people. */

import { formulaText, type Formula } from '../../verifier/formula.ts';
import type { TraceStep } from '../../verifier/trace.ts';
import type { Proof, Refutation, Verification } from '../../verifier/refutation.ts';
import type { WorstCases } from '../../verifier/worst-case.ts';
import { money } from './figures.ts';
import type { Screen } from './screen.ts';
import { aligned, wrapped } from './text.ts';

type Shown = Pick<Screen, 'style' | 'columns'>;

export function verificationText(verification: Verification, screen: Shown): string {
  const { workflow, holds, proofs, space, loops, worstCase } = verification;
  const { bold, dim, green, red, symbols } = screen.style;
  const verdict = holds === true ? green('proven') : holds === false ? red('refuted') : red('not proven');
  const explored = `${space.states.toLocaleString('en')} states and ${space.transitions.toLocaleString('en')} transitions explored`;
  const extent = space.states === 0 ? 'not explored' : space.unexplored > 0 ? explored : `all ${explored}`;
  const lines = [
    `${bold(workflow)}: ${verdict}: ${dim(extent)}`,
    '',
    ...proofs.flatMap((proof) => proofLines(proof, screen)),
  ];
  if (space.unexplored > 0) {
    lines.push(
      '',
      `  ${space.unexplored.toLocaleString('en')} further states were found but not explored: there are too many.`,
    );
    lines.push('  Claims marked ? hold in the explored part. Use fewer flags or smaller budgets.');
  }
  if (worstCase) lines.push('', ...worstCaseLines(worstCase, screen));
  if (loops.length > 0) {
    lines.push('', '  Loops that a person controls:');
    const rows = loops.map(({ by, states }) => [by, [...states.slice(1), states[0]].join(` ${symbols.arrow} `)]);
    lines.push(...aligned(rows).map((line) => dim(`    ${line}`)));
  }
  lines.push('', '  Assumptions, enforced by the runtime:');
  lines.push(...verification.assumptions.map((assumption) => dim(`    ${assumption}`)));
  return `${lines.flatMap((line) => wrapped(line, screen.columns())).join('\n')}\n`;
}

function proofLines({ claim, holds, refutations }: Proof, screen: Shown): string[] {
  const { green, red, dim, symbols } = screen.style;
  const mark = holds === true ? green(symbols.done) : holds === false ? red(symbols.failed) : dim('?');
  return [`  ${mark} ${claim}`, ...refutations.flatMap((refutation) => refutationLines(refutation, screen))];
}

function refutationLines({ what, fix, trace, cycle }: Refutation, screen: Shown): string[] {
  const { bold, dim, symbols } = screen.style;
  return [
    '',
    `      ${bold(what)}`,
    ...traceLines(trace, screen),
    ...(cycle ? [dim('      and then, again and again:'), ...traceLines(cycle, screen)] : []),
    `      ${symbols.arrow} ${fix}`,
    '',
  ];
}

function traceLines(trace: readonly TraceStep[], { style }: Shown): string[] {
  const rows = trace.map(({ state, signal, to, by, does }) => [
    state,
    signal,
    `${style.symbols.arrow} ${to}`,
    by === 'person' ? 'a person' : by === 'check' ? '' : by,
    does.join(', '),
  ]);
  return aligned(rows).map((line) => style.dim(`        ${line}`));
}

function worstCaseLines({ steps, run }: WorstCases, { style }: Shown): string[] {
  const priced = steps.some(({ cost }) => cost !== null);
  const working = steps.filter(({ withFaults }) => formulaText(withFaults) !== '0');
  const rows = working.map(({ after, dispatches, withFaults, byRole, cost }) => [
    after,
    formulaText(dispatches),
    formulaText(withFaults),
    ...(priced && cost ? [dollars(cost.expectedAtMost), dollars(cost.worst)] : []),
    Object.entries(byRole)
      .map(([role, formula]) => `${role} ${formulaText(formula)}`)
      .join(', '),
  ]);
  const head = ['after', 'dispatches', 'with every fault', ...(priced ? ['usual cost', 'worst cost'] : []), 'by role'];
  const table = aligned([head, ...rows]).map((line, index) => (index === 0 ? `    ${style.dim(line)}` : `    ${line}`));
  const lines = ['  At most, until the run rests again (a whole run: the sum over what its person does):', ...table];
  if (!run) return lines;
  const whole = `${formulaText(run.dispatches)}; with every fault ${formulaText(run.withFaults)}`;
  lines.push(
    '',
    `  ${run.commands.join(` ${style.symbols.arrow} `)}: at least ${run.fewest} dispatches, at most ${whole}`,
  );
  if (run.cost) {
    const [low, high] = run.cost.expected;
    lines.push(`    costs ${money(low)} to ${dollars(high)} as a rule, ${dollars(run.cost.worst)} at worst`);
  }
  return lines;
}

function dollars(formula: Formula): string {
  return formulaText(formula, money);
}
