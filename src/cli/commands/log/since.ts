import { Problem } from "#protocol/errors";

const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** The longest span, so that the result is a time: a hundred years. */
const LONGEST_MS = 100 * 366 * 86_400_000;

/**
 * Parses where a list starts: a span before now (`30m`, `12h`, `2d`, `1w`), a day of this machine's time zone, or a
 * time in ISO 8601.
 *
 * @throws Problem USAGE
 */
export function parseSince(text: string, now: number): string {
  const [, number, unit = ""] = /^(\d{1,9})\s*([mhdw])$/i.exec(text.trim()) ?? [];
  const span = Number(number) * (UNITS_MS[unit.toLowerCase()] ?? Number.NaN);
  const at = number === undefined ? parseTime(text.trim()) : now - Math.min(span, LONGEST_MS);
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  throw new Problem("USAGE", `Invalid time ${JSON.stringify(text.slice(0, 40))} for --since.`, {
    hint: "Use a span such as 30m, 12h, 2d or 1w, or a date such as 2026-11-20.",
  });
}

/** A date without a time begins at midnight here; JavaScript takes it for midnight in UTC. */
function parseTime(text: string): number {
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!day) return /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : Number.NaN;
  const [year, month, date] = day.slice(1).map(Number) as [number, number, number];
  const local = new Date(year, month - 1, date);
  return local.getMonth() === month - 1 && local.getDate() === date ? local.getTime() : Number.NaN;
}
