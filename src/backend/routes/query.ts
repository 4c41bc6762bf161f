import { Problem } from "#protocol/errors";

/** Parses a whole number of a query. @throws Problem INVALID_REQUEST */
export function parseWholeNumber(field: string, text: string, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= most) return number;
  throw new Problem("INVALID_REQUEST", `“${field}” must be a whole number from 1 to ${most}.`, { details: { field } });
}
