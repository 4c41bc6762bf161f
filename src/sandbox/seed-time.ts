import { SeedError } from "./provider.ts";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * Parses a time in a seed: ISO 8601, or relative to now ("-3d", "-2h", "-10m", "-1w").
 *
 * @param path its place in the seed, for the message
 * @returns ISO 8601 in UTC
 * @throws SeedFault if it is neither
 */
export function parseMoment(value: string, now: number, path: string): string {
  const shift = parsePeriod(value);
  const time = shift === undefined ? Date.parse(value) : now + shift;
  if (Number.isNaN(time)) throw new SeedError(path, `"${value}" is not a time: write 2026-01-31T09:00:00Z or -3d`);
  return new Date(time).toISOString();
}

/** Parses a period such as "-3d", "4w 2d" or "+1h" to milliseconds; undefined if it is not one. */
export function parsePeriod(text: string): number | undefined {
  const match = /^([+-]?)\s*((?:\d+\s*[mhdw]\s*)+)$/.exec(text.trim());
  if (!match) return undefined;
  const parts = [...(match[2] ?? "").matchAll(/(\d+)\s*([mhdw])/g)];
  const length = parts.reduce((sum, part) => sum + Number(part[1]) * UNITS[part[2] as keyof typeof UNITS], 0);
  return match[1] === "-" ? -length : length;
}
