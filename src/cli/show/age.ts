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
