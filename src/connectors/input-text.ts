import * as z from "zod/mini";
import { $ZodCatch } from "zod/v4/core";
import { Problem } from "#protocol/errors";
import { toOneLine } from "./markup/markdown.ts";

/** Returns whether a text means the connected user: "me", "my". */
export function isMe(text: string | undefined): boolean {
  return /^(@?me|myself|my|mine|i)$/i.test(text?.trim() ?? "");
}

/** Returns a name in lower case, with a space for each hyphen and underscore: `In-Progress` is "in progress". */
export function normalizeWords(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");
}

/** Returns whether a text names no person: "nobody", "unassigned". */
export function isNobody(text: string): boolean {
  return /^(nobody|no one|none|unassigned|empty)$/i.test(text.trim());
}

/** Creates the error for a required text that is empty: "The comment must not be empty." */
export function emptyTextProblem(noun: string, field = "text"): Problem {
  return new Problem("INVALID_REQUEST", `The ${noun} must not be empty.`, { details: { field } });
}

/** Returns a required title as one line. @throws Problem INVALID_REQUEST if it is empty: "A page needs a title." */
export function requireTitle(text: string, object: string, { noun = "title", field = "title" } = {}): string {
  const title = toOneLine(text);
  if (title !== "") return title;
  throw new Problem("INVALID_REQUEST", `${object} needs a ${noun}.`, { details: { field } });
}

/** @throws Problem INVALID_REQUEST if a text is longer than the service accepts */
export function checkLength(
  text: string,
  limit: number,
  {
    service,
    noun,
    field = "text",
    hint = "Shorten it.",
  }: { service: string; noun: string; field?: string; hint?: string },
): void {
  if (text.length <= limit) return;
  const [length, maximum] = [text.length, limit].map((number) => number.toLocaleString("en-US"));
  const sentence = `The ${noun} has ${length} characters; ${service} accepts at most ${maximum}.`;
  throw new Problem("INVALID_REQUEST", sentence, { hint, details: { field } });
}

/** Splits a list at its commas. Entries without a word are left out. */
export function splitList(text: string | undefined): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}

/**
 * Parses a day such as 2026-01-31. Returns undefined for no text. @throws Problem INVALID_REQUEST that names the field
 */
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
 * Creates an optional field with a fixed set of values, which models see as an `enum`. Case does not matter. `synonyms`
 * (in lower case) stand for their values.
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
 * Creates a schema that reads an invalid value as `fallback`. `z.catch` does the same, but it makes the bundler put
 * zod's JSON Schema generator into the file that every command with an answer loads.
 */
export function catchInvalid<T extends z.core.$ZodType>(schema: T, fallback: z.core.output<T>): $ZodCatch<T> {
  return new $ZodCatch({ type: "catch", innerType: schema, catchValue: () => fallback }) as $ZodCatch<T>;
}
