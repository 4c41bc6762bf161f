import { Problem } from "#protocol/errors";

/** Returns a day or time as GitHub expects it, in UTC. @throws Problem INVALID_REQUEST */
export function parseMoment(text: string | undefined, field: string): string | undefined {
  if (!text?.trim()) return undefined;
  const time = /^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString().replace(".000", "");
  throw new Problem("INVALID_REQUEST", `“${text.trim()}” is not a day or a time.`, {
    hint: "Write it as 2026-01-31 or 2026-01-31T09:00:00Z.",
    details: { field },
  });
}
