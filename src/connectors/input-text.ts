import * as z from "zod/mini";
import { $ZodCatch } from "zod/v4/core";
import { Problem } from "#protocol/errors";

/** Splits a list at its commas. Entries without a word are left out. */
export function splitList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
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

/**
 * A field of a closed set, which models see as an `enum`. Case does not matter, and `synonyms` (in small letters) are
 * taken for the value that they mean.
 */
export function createChoiceSchema<const Value extends string>(
  values: readonly Value[],
  synonyms: Record<string, Value> = {},
) {
  const valuesByName = new Map<string, string>([
    ...Object.entries(synonyms),
    ...values.map((value) => [value, value] as const),
  ]);
  const toValue = (input: unknown) =>
    typeof input === "string" ? (valuesByName.get(input.trim().toLowerCase().replaceAll("_", " ")) ?? input) : input;
  return z.optional(z.pipe(z.transform(toValue), z.enum(values)));
}

/**
 * Makes a schema that reads an invalid value as `fallback`. `z.catch` does the same, but it makes the bundler put zod's
 * JSON Schema generator into the file that every command with an answer loads.
 */
export function catchInvalid<T extends z.core.$ZodType>(schema: T, fallback: z.core.output<T>): $ZodCatch<T> {
  return new $ZodCatch({ type: "catch", innerType: schema, catchValue: () => fallback }) as $ZodCatch<T>;
}
