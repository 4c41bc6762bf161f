import { Problem } from "#protocol/errors";

/** Splits a list at its commas. Entries without a word are left out. */
export function splitList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
}

/** Parses a day such as 2026-01-31. Returns undefined for no text. @throws Problem INVALID_REQUEST that names the field */
export function parseDay(text: string | undefined, field: string): string | undefined {
  const day = text?.trim() ?? "";
  if (day === "") return undefined;
  if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))) return day;
  throw new Problem("INVALID_REQUEST", `“${day}” is not a day.`, {
    hint: "Write it as 2026-01-31.",
    details: { field },
  });
}
