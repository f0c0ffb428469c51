/** `verify`: proofs about a workflow, before a token is spent. */

import { formulaText, type Formula } from '../verifier/formula.ts';
import type { Proof, Refutation, Verification } from '../verifier/refutation.ts';
import type { TraceStep } from '../verifier/trace.ts';
import { verify as prove } from '../verifier/verifier.ts';
import type { WorstCases } from '../verifier/worst-case.ts';
import { snakeCase } from '../schema/schema.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes } from './problem.ts';
import { agentCalls, grouped, money } from './show/figures.ts';
import { screenOf, type Screen } from './show/screen.ts';
import { aligned, jsonText, plainLine, wrapped } from './show/text.ts';
import { allWorkflows, oneWorkflow, projectHere } from './workflows.ts';

export const verify: CommandFunction = async ({ words: [word], flags }, { workflows: { bundled } }) => {
  const project = projectHere(bundled);
  const { workflows, skipped } =
    word === undefined
      ? await allWorkflows(bundled, project)
      : { workflows: [await oneWorkflow(word, bundled, project)], skipped: [] };
  const verifications = workflows.map(({ name, machine, writers, hints }) => {
    const proven = prove(machine, { workflow: name, writers, prices: project.prices });
    return { ...(hints ? inOwnWords(proven) : proven), hints: hints ?? [] };
  });
  const screen = screenOf(process.stdout);
  const texts = verifications.map((verification) => verificationText(verification, screen));
  const notes = skipped.map((file) => `\n${plainLine(file)}: not loaded, because nobody trusts it (pawl trust)\n`);
  const document = { workflows: verifications, skipped };
  screen.write(flags['json'] ? `${jsonText(document)}\n` : `${texts.join('\n')}${notes.join('')}`);
  return verifications.every(({ holds }) => holds) ? exitCodes.done : exitCodes.failed;
};

/** Keys of a project's own file are in snake case. */
function inOwnWords(verification: Verification): Verification {
  const spelled = (text: string): string => text.replaceAll(/`[^`]+`/g, snakeCase);
  const proofs = verification.proofs.map((proof) => ({
    ...proof,
    refutations: proof.refutations.map((each) => ({ ...each, what: spelled(each.what), fix: spelled(each.fix) })),
  }));
  return { ...verification, proofs };
}

function verificationText(verification: Verification & { readonly hints: readonly string[] }, screen: Screen): string {
  const { workflow, holds, proofs, space, loops, worstCase } = verification;
  const { bold, dim, green, red, symbols } = screen.style;
  const verdict = holds === true ? green('proven') : holds === false ? red('refuted') : red('not proven');
  const explored = `${grouped(space.states)} states and ${grouped(space.transitions)} transitions explored`;
  const extent = space.states === 0 ? 'not explored' : space.unexplored > 0 ? explored : `all ${explored}`;
  const lines = [
    `${bold(workflow)}: ${verdict}: ${dim(extent)}`,
    '',
    ...proofs.flatMap((proof) => proofLines(proof, screen)),
    ...verification.hints.map((hint) => `  ${screen.style.yellow('!')} ${plainLine(hint)}`),
  ];
  if (space.unexplored > 0) {
    lines.push('', `  ${grouped(space.unexplored)} further states were found but not explored: there are too many.`);
    lines.push('  Claims marked ? hold in the explored part. Use fewer flags or smaller budgets.');
  }
  if (worstCase) lines.push('', ...worstCaseLines(worstCase, screen));
  if (loops.length > 0) {
    lines.push('', '  Loops that a person controls:');
    const rows = loops.map(({ by, states }) => [by, [...states.slice(1), states[0]].join(` ${symbols.arrow} `)]);
    lines.push(...aligned(rows, '    ').map(dim));
  }
  lines.push('', '  Assumptions, enforced by the runtime:');
  lines.push(...verification.assumptions.map((assumption) => dim(`    ${assumption}`)));
  return `${lines.flatMap((line) => wrapped(line, screen.columns())).join('\n')}\n`;
}

function proofLines({ claim, holds, refutations }: Proof, screen: Screen): string[] {
  const { green, red, dim, symbols } = screen.style;
  const mark = holds === true ? green(symbols.done) : holds === false ? red(symbols.failed) : dim('?');
  return [`  ${mark} ${claim}`, ...refutations.flatMap((refutation) => refutationLines(refutation, screen))];
}

function refutationLines({ what, fix, trace, cycle }: Refutation, screen: Screen): string[] {
  const { bold, dim, symbols } = screen.style;
  return [
    '',
    `      ${bold(what)}`,
    ...traceLines(trace, screen),
    ...(cycle ? [dim('      then repeats without end:'), ...traceLines(cycle, screen)] : []),
    `      ${symbols.arrow} ${fix}`,
    '',
  ];
}

function traceLines(trace: readonly TraceStep[], { style }: Screen): string[] {
  const rows = trace.map(({ state, signal, to, by, does }) => {
    const who = by === 'person' ? 'a person' : by === 'check' ? '' : by;
    return [state, signal, `${style.symbols.arrow} ${to}`, who, does.join(', ')];
  });
  return aligned(rows, '        ').map(style.dim);
}

function worstCaseLines({ steps, run }: WorstCases, { style }: Screen): string[] {
  const priced = steps.some(({ cost }) => cost !== null);
  const working = steps.filter(({ withFaults }) => formulaText(withFaults) !== '0');
  const rows = working.map(({ after, dispatches, withFaults, byRole, cost }) => {
    const roles = Object.entries(byRole).map(([role, formula]) => `${role} ${formulaText(formula)}`);
    const costs = priced && cost ? [dollars(cost.expectedAtMost), dollars(cost.worst)] : [];
    return [after, formulaText(dispatches), formulaText(withFaults), ...costs, roles.join(', ')];
  });
  const head = ['after', 'agent calls', 'with retries', ...(priced ? ['usual cost', 'worst cost'] : []), 'by role'];
  const [titles = '', ...table] = aligned([head, ...rows], '    ');
  const lines = ['  Worst case of each command, until the run next pauses:', style.dim(titles), ...table];
  if (!run) return lines;
  const commands = run.commands.join(` ${style.symbols.arrow} `);
  const most = `${formulaText(run.dispatches)} (${formulaText(run.withFaults)} with retries)`;
  lines.push('', `  ${commands}: at least ${agentCalls(run.fewest)}, at most ${most}`);
  if (run.cost) {
    const [low, high] = run.cost.expected;
    lines.push(`    usually costs ${money(low)} to ${dollars(high)}, at worst ${dollars(run.cost.worst)}`);
  }
  return lines;
}

function dollars(formula: Formula): string {
  return formulaText(formula, money);
}
