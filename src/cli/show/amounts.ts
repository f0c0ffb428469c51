/** Times and amounts in words for people. */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const datedAfterDays = 30;

/** How long ago an ISO time is; the date once that says more. */
export function age(at: string | null, nowMs: number): string {
  const ms = at === null ? Number.NaN : nowMs - Date.parse(at);
  if (at === null || Number.isNaN(ms)) return '-';
  if (ms < minuteMs) return 'just now';
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ago`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ago`;
  if (ms < datedAfterDays * dayMs) return days(Math.floor(ms / dayMs));
  return new Date(at).toISOString().slice(0, 10);
}

function days(number: number): string {
  return number === 1 ? 'yesterday' : `${number} days ago`;
}

export function duration(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ${Math.floor((ms % minuteMs) / secondMs)} s`;
  return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
}

/** `12,345`, without loading locale data. */
export function count(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

export function usd(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 1 ? 4 : 2)}`;
}
