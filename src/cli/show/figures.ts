/** Durations, ages, tokens and money in the few characters a column has. */

import type { Usage } from '../../engine/usage.ts';
import type { NotedSpending } from '../../runtime/run-note.ts';
import type { Remaining } from '../../runtime/run-budgets.ts';

export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}m ${twoDigits(whole % 60)}s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${twoDigits(minutes % 60)}m`;
}

/** In whole seconds, so that it does not flicker. */
export function countdown(ms: number): string {
  return duration(Math.ceil(ms / 1_000) * 1_000).replace(/\.\d/, '');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

export function count(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 999_500) return `${short(value / 1_000)}k`;
  return `${short(value / 1_000_000)}M`;
}

/** `12,345`; `toLocaleString` would load the data of a locale, which takes longer than many a command. */
export function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

function short(value: number): string {
  const text = value < 99.95 ? value.toFixed(1) : value.toFixed(0);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}

export function money(usd: number): string {
  if (usd > 0 && usd < 0.001) return '<$0.001';
  return `$${usd.toFixed(usd < 1 && usd !== 0 ? 3 : 2)}`;
}

/** Unknown is said, never shown as zero. */
export function tokensOf({ inputTokens, outputTokens }: Usage): string {
  if (inputTokens === null && outputTokens === null) return '? tok';
  return `${count((inputTokens ?? 0) + (outputTokens ?? 0))} tok`;
}

export function costOf({ costUsd }: Usage): string {
  return costUsd === null ? 'cost unknown' : money(costUsd);
}

/** Of a run in a list: `+?` where the cost of some calls is unknown, `?` where that of all is. */
export function notedCost({ calls, costUsd, unknownCost }: NotedSpending): string {
  if (calls === 0) return '-';
  return costUsd === null ? '?' : `${money(costUsd)}${unknownCost > 0 ? '+?' : ''}`;
}

export function agentCalls(value: number): string {
  return `${value} ${value === 1 ? 'agent call' : 'agent calls'}`;
}

/** What is left of the run's budgets; an overdrawn one shows as nothing left. */
export function budgetLeft(left: Remaining): string {
  const amount = (value: number) => Math.max(0, value);
  return [
    agentCalls(amount(left.dispatches)),
    `${count(amount(left.tokens))} tokens`,
    money(amount(left.costUsd)),
    `${duration(amount(left.wallMs))} of agent time`,
  ].join(', ');
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const datedAfterDays = 30;

/** How long ago an ISO time is, in words; the date once that says more. */
export function age(at: string | null, nowMs: number): string {
  const ms = at === null ? Number.NaN : nowMs - Date.parse(at);
  if (at === null || Number.isNaN(ms)) return '-';
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  const days = Math.floor(ms / dayMs);
  if (days <= datedAfterDays) return days === 1 ? '1 day ago' : `${days} days ago`;
  return new Date(at).toISOString().slice(0, 10);
}

const isoTime = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** Times in a text as the clock on the wall shows them: `21:27 (in 12s)`. */
export function withLocalTimes(text: string, nowMs = Date.now()): string {
  return text.replaceAll(isoTime, (at) => (Number.isNaN(Date.parse(at)) ? at : localTime(at, nowMs)));
}

function localTime(at: string, nowMs: number): string {
  const [then, now] = [new Date(at), new Date(nowMs)];
  const left = then.getTime() - nowMs;
  const clock = `${twoDigits(then.getHours())}:${twoDigits(then.getMinutes())}`;
  const day = [then.getFullYear(), twoDigits(then.getMonth() + 1), twoDigits(then.getDate())].join('-');
  const shown = then.toDateString() === now.toDateString() ? clock : `${day} ${clock}`;
  return left > 0 ? `${shown} (in ${countdown(Math.max(1_000, left))})` : shown;
}
