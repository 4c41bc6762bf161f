import * as z from "zod/mini";
import { toRecord } from "#protocol/json";
import { joinPieces, type NotionObject } from "./title.ts";

const NamedValue = z.looseObject({
  name: z.nullish(z.string()),
  object: z.nullish(z.string()),
  id: z.nullish(z.string()),
  external: z.nullish(z.looseObject({ url: z.nullish(z.string()) })),
});
const DateValue = z.looseObject({ start: z.nullish(z.string()), end: z.nullish(z.string()) });

/** Formats the properties of a page or row as text, without the title. Empty ones are "". */
export function formatProperties({ properties }: NotionObject): Record<string, string> {
  const entries = Object.entries(properties ?? {}).filter(([, { type }]) => type !== "title");
  return Object.fromEntries(entries.map(([name, property]) => [name, formatProperty(property)]));
}

/** Formats the value of a property. Source: https://developers.notion.com/reference/page-property-values */
function formatProperty(input: unknown): string {
  const property = toRecord(input);
  const type = String(property.type ?? "");
  const value = property[type];
  if (value === null || value === undefined) return "";
  switch (type) {
    case "title":
    case "rich_text":
      return joinPieces(value);
    case "checkbox":
      return value === true ? "yes" : "no";
    case "select":
    case "status":
    case "created_by":
    case "last_edited_by":
      return formatName(value);
    case "multi_select":
    case "people":
    case "files":
      return toList(value).map(formatName).filter(Boolean).join(", ");
    case "date":
      return formatDate(value);
    case "relation":
      return toList(value).length > 0
        ? `${property.has_more === true ? "more than " : ""}${toList(value).length} linked`
        : "";
    case "unique_id":
      return formatUniqueId(value);
    case "formula":
    case "rollup":
      return formatProperty(value);
    // Notion did not compute the value, so it must not look empty.
    case "incomplete":
    case "unsupported":
      return "(not computed by Notion)";
    case "array":
      return toList(value).map(formatProperty).filter(Boolean).join(", ");
    default:
      return typeof value === "object" ? formatFacts(value) : String(value);
  }
}

function formatName(value: unknown): string {
  const result = NamedValue.safeParse(value);
  if (!result.success) return "";
  const { name, object, id, external } = result.data;
  // Without the capability to read users, Notion gives only their IDs.
  return name || external?.url || (object === "user" && id) || "";
}

/** Formats a value with parts: a place has a name and an address, a verification has a state. */
function formatFacts(value: object): string {
  const { name, address, state } = toRecord(value);
  return [name, address, state].filter((value) => typeof value === "string" && value !== "").join(", ");
}

function formatDate(value: unknown): string {
  const result = DateValue.safeParse(value);
  if (!result.success) return "";
  const { start, end } = result.data;
  return end ? `${start ?? ""} – ${end}` : (start ?? "");
}

function formatUniqueId(value: unknown): string {
  const { prefix, number } = value as { prefix?: string | null; number?: number | null };
  return prefix && number ? `${prefix}-${number}` : String(number ?? "");
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
