import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { checked, ended, moved, started } from './event-samples.fixture.ts';
import { linePresenter } from './presenter.ts';
import { screenOf } from './screen.ts';

function shownBy(env: Record<string, string>): string {
  const stream = new PassThrough();
  const presenter = linePresenter(screenOf(stream, env));
  presenter.observe({ type: 'opened', phase: null });
  presenter.say('warning: a word');
  presenter.observe(moved('new', 'plan', 'propose'));
  presenter.observe(started());
  presenter.suspend();
  presenter.resume();
  presenter.observe({ type: 'dispatch.output', id: 'change.x#1', text: 'quiet' });
  presenter.observe(moved('propose', 'reported', 'order'));
  presenter.observe(ended());
  presenter.observe(checked('order', 'complete'));
  presenter.close();
  return String(stream.read());
}

test('in a pipe: whole lines, no colour, nothing redrawn, nothing lost at the end', () => {
  expect(shownBy({ LANG: 'C.UTF-8', TERM: 'xterm' })).toBe(
    `Current state: new
warning: a word
◆ phase                  new → proposed
▸ planner      gemini    propose                                       40 agent calls, $50.00 left
✓ planner      gemini    propose                                         1.4s   1.5k tok  $0.010
`,
  );
});

test('where the locale is not UTF-8, plain ASCII', () => {
  expect(shownBy({ LC_ALL: 'C' })).toMatch(/^[\n -~]+$/);
});
