import type { PreviewField } from "./ask.ts";
import { clean } from "./clean.ts";

/** One value of a call's input: its path (`body.channel`), its text, and a note about it. */
export type InputField = { name: string; text: string; note?: string };

/** Lists every value of a call's input, nested ones by their path. Nothing is left out, and nothing is cleaned yet. */
export function listInputFields(value: unknown, name = ""): InputField[] {
  if (typeof value === "string") return [{ name, text: value }];
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  if (typeof value !== "object" || value === null || isEmpty) return [{ name, text: JSON.stringify(value) ?? "" }];
  return Object.entries(value).flatMap(([key, inner]) => listInputFields(inner, name ? `${name}.${key}` : key));
}

/**
 * Formats every field for the user who approves it, each on separate lines, whole and clean. Cards, confirmations and plans all show
 * fields this way.
 */
export function formatInputFields(fields: InputField[], indent = "  "): string {
  return fields.map((field) => formatInputField(field).replace(/^/gm, indent)).join("\n");
}

/** Formats what a call reaches, for a line below its summary. */
export function formatTarget({ target }: CallNotes): string[] {
  return target ? [`About: ${clean(target, { lines: false })}`] : [];
}

/** Points out the destinations of a call that are new, for a line below its fields. */
export function formatNewDestinations({ new_destinations: destinations = [] }: CallNotes): string[] {
  const names = destinations.map((name) => clean(name, { lines: false }));
  return names.length > 0 ? [`New destination: kay has never written to ${names.join(", ")} before.`] : [];
}

/** Facts about a call that kay looks up before it asks. */
export type CallNotes = { target?: string | undefined; new_destinations?: string[] | undefined };

/** Warns about a value that the user did not write, or that is nearly one that the user wrote. */
export function formatOrigin({
  origin,
  source,
  resembles,
}: Pick<PreviewField, "origin" | "source" | "resembles">): string {
  const notes = [
    ...(resembles === undefined ? [] : [`not the same as “${clean(resembles, { lines: false })}”`]),
    ...(origin !== "service"
      ? []
      : [source === undefined ? "not from you" : `from ${clean(source, { lines: false })}, not from you`]),
  ];
  return notes.length > 0 ? ` (${notes.join("; ")})` : "";
}

/** Formats a field in full, inner values by their path, with its warning. */
export function formatPreviewField(field: PreviewField): string {
  return formatInputFields(listPreviewValues(field));
}

/** Lists every value of a field, with its warning. */
function listPreviewValues(field: PreviewField): InputField[] {
  const inner = listInputFields(field.value, field.name).filter(({ name }) => name !== "");
  return inner.map((value) => ({ ...value, note: formatOrigin(field) }));
}

/** Lists every value of a field as cards show it: its name, its warning and its text, whole and clean. */
export function listFieldTexts(field: PreviewField): { name: string; note: string; text: string }[] {
  return listPreviewValues(field).map(toFieldText);
}

function toFieldText({ name, text, note = "" }: InputField): { name: string; note: string; text: string } {
  const line = foldWhitespace(text);
  const blank = text === "" ? "(empty)" : "(only white space)";
  return { name: clean(name, { lines: false }), note, text: ONLY_BLANK.test(line) ? blank : line };
}

function formatInputField(field: InputField): string {
  const { name, note, text } = toFieldText(field);
  const isInline = !text.includes("\n") && (note === "" || text.length <= LONGEST_INLINE);
  if (isInline) return `${name}: ${text}${note}`;
  return `${name}${note}:\n${text.replace(/^/gm, "  ")}`;
}

/** Longer values with a note start on a new line, so that the note stays beside the name. */
const LONGEST_INLINE = 60;

/** Cleans a text. Long runs of white space, which could push the rest out of sight, become a count. */
export function foldWhitespace(text: string): string {
  return clean(text)
    .replace(BLANK_LINES, (run) => `\n[${run.split("\n").length - 2} blank lines]\n`)
    .replace(SPACES, (run) => ` [${Array.from(run).length} spaces] `);
}

/** A character that looks like a space: white space of all scripts, the blank of Braille, and the null notehead. */
const BLANK = "(?!\\n)[\\s\\u2800\\u{1d159}]";
const BLANK_LINES = new RegExp(`\\n(?:(?:${BLANK})*\\n){3,}`, "gu");
const SPACES = new RegExp(`(?:${BLANK}){20,}`, "gu");
const ONLY_BLANK = new RegExp(`^(?:${BLANK}|\\n)*$`, "u");
