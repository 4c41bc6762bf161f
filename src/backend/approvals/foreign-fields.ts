import type { JSONSchema7 } from "ai";
import { quoteName } from "#connectors/place";
import type { Tool } from "#connectors/tool";
import { createProvenance, type Provenance } from "./provenance.ts";

type ForeignQuestion = {
  tool: Pick<Tool, "access" | "egress" | "schema" | "takesAttachments" | "placeIsTarget"> & { service: string };
  input: Record<string, unknown>;
  provenance: Provenance;
  /** The input as the model wrote it. */
  rawInput?: unknown;
  /** The place that an approval names: `to #general`. */
  approvedPlace: string | undefined;
  /** The place of the call itself, which quotes the name of its target: `in the document “plan”`. */
  place?: string | undefined;
};

/**
 * Lists the fields of a call that the user neither said nor approved with the call's place. A default of the tool counts
 * as the user's. A read that cannot carry words to others has none.
 */
export function listForeignFields({
  tool,
  input,
  provenance,
  rawInput,
  approvedPlace,
  place: callPlace,
}: ForeignQuestion): string[] {
  const defaults = getDefaults(tool.schema);
  const place = createProvenance({ own: approvedPlace === undefined ? [] : [approvedPlace], foreign: [] });
  const chosenFields = listChosenFields(tool.schema, rawInput, provenance);
  const isForeign = ([name, value]: [string, unknown]) => {
    if (chosenFields.has(name)) return false;
    if (name in defaults && isSameJson(defaults[name], value)) return false;
    // A file was given to kay to read it. Only a user who names it wants it sent.
    if (tool.takesAttachments && name === "attachments") return !provenance.isOwn(listFileNames(value));
    // An option that is off says nothing, unless it is on by default.
    if (value === false) return defaults[name] === true;
    if (place.isOwn(value)) return false;
    if (typeof value !== "string") return !provenance.isOwn(value);
    // A name with quotation marks has no place.
    const quoted = quoteName(value);
    const isName = quoted === undefined ? callPlace === undefined && tool.placeIsTarget : callPlace?.includes(quoted);
    return !(isName ? provenance.isOwnName(value) : provenance.isOwn(value));
  };
  const foreign = Object.entries(input).filter(isForeign);
  const listNames = (fields: [string, unknown][]) => fields.map(([name]) => name);
  if (tool.access !== "read") return listNames(foreign);
  if (!tool.egress) return [];
  // A service may get its own words back, but an address only as it gave it: another one could carry words elsewhere.
  const readsOthers = [...provenance.services].some((service) => service !== tool.service);
  return listNames(
    readsOthers ? foreign : foreign.filter(([, value]) => hasAddress(value) && !provenance.isFrom(tool.service, value)),
  );
}

/**
 * Lists the fields with a fixed set of values for which the model wrote a word of the user, such as `reader`. The tool's
 * schema may have made another word of it, such as `read`.
 */
export function listChosenFields(
  schema: Record<string, unknown> | undefined,
  value: unknown,
  provenance: Provenance,
): ReadonlySet<string> {
  const words = Object(value) as Record<string, unknown>;
  const isChosen = ([name, field]: [string, unknown]) =>
    "enum" in Object(field) && Object.hasOwn(words, name) && provenance.isOwn(words[name]);
  return new Set(
    Object.entries((schema as JSONSchema7 | undefined)?.properties ?? {})
      .filter(isChosen)
      .map(([name]) => name),
  );
}

/** Lists the names of the files in a field `attachments`, without type, size and hash. */
function listFileNames(value: unknown): string[] {
  return [value].flat().map((reference) => String(reference).replace(/ \([^()]*\)$/, ""));
}

/** Whether a call holds a value that the user said. A change without one may do what others want. */
export function hasOwnField({
  tool,
  input,
  provenance,
  rawInput,
}: Omit<ForeignQuestion, "approvedPlace" | "place">): boolean {
  const chosenFields = listChosenFields(tool.schema, rawInput, provenance);
  const isSaid = (value: unknown) => value !== undefined && value !== false && provenance.isOwn(value);
  return Object.entries(input).some(([name, value]) => chosenFields.has(name) || isSaid(value));
}

/** Whether a value names a computer, in any spelling that programs take for one: a URL, a host name, a number. */
function hasAddress(value: unknown): boolean {
  const json = typeof value === "string" ? value : JSON.stringify(value);
  const text = json.normalize("NFKC").replace(/[。｡]/g, ".").replace(/%2e/gi, ".").replace(/%2f/gi, "/");
  return ADDRESSES.some((pattern) => pattern.test(text));
}

const ADDRESSES = [
  // A scheme, also without slashes, or slashes alone.
  /\b(?:https?|wss?|s?ftp|file|data|ssh|git|ldaps?|mailto):|:\/\/|(?:^|[\s"'(=])[\\/]{2}/i,
  // A name or a number with a port, a path, a query or a fragment.
  /\bwww\.|[\p{L}\d]\.(?:\p{L}{2,}|\d+)\.?(?::\d|[/\\?#])|(?:^|[\s"'(=@])\d{8,10}(?::\d|\/)|\[(?=[\da-f.]{0,45}:)[\da-f:.]{2,45}\]|\blocalhost\b/iu,
  // A name of three or more parts, which can carry words in one of them, and an email address.
  /(?<![\p{L}\d_.-])(?:[\p{L}\d_-]+\.){2,}\p{L}{2,}(?![\p{L}\d_-])|[^\s@]@[^\s@]+\.[^\s@]/iu,
];

function getDefaults(schema: Record<string, unknown> | undefined): Record<string, unknown> {
  const entries = Object.entries((schema as JSONSchema7 | undefined)?.properties ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, field]) =>
      typeof field === "object" && field !== null && "default" in field ? [[name, field.default]] : [],
    ),
  );
}

function isSameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
