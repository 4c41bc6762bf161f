import * as z from "zod/mini";
import { joinPieces, type NotionObject } from "./title.ts";

const Named = z.looseObject({ name: z.nullish(z.string()) });
const Dated = z.looseObject({ start: z.nullish(z.string()), end: z.nullish(z.string()) });

/** Formats the properties of a page or row as text, without the title. Empty ones are "". */
export function formatProperties({ properties }: NotionObject): Record<string, string> {
  const entries = Object.entries(properties ?? {}).filter(([, { type }]) => type !== "title");
  return Object.fromEntries(entries.map(([name, property]) => [name, format(property)]));
}

/** Formats the value of a property. Source: https://developers.notion.com/reference/page-property-values */
function format(property: Record<string, unknown>): string {
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
      return findByName(value);
    case "multi_select":
    case "people":
    case "files":
      return list(value).map(findByName).filter(Boolean).join(", ");
    case "date":
      return dated(value);
    case "relation":
      return list(value).length > 0 ? `${list(value).length} linked` : "";
    case "unique_id":
      return uniqueId(value);
    case "formula":
    case "rollup":
      return format(value as Record<string, unknown>);
    case "array":
      return list(value)
        .map((one) => format(one as Record<string, unknown>))
        .filter(Boolean)
        .join(", ");
    default:
      return typeof value === "object" ? "" : String(value);
  }
}

function findByName(value: unknown): string {
  const result = Named.safeParse(value);
  return (result.success && result.data.name) || "";
}

function dated(value: unknown): string {
  const result = Dated.safeParse(value);
  if (!result.success) return "";
  const { start, end } = result.data;
  return end ? `${start ?? ""} – ${end}` : (start ?? "");
}

function uniqueId(value: unknown): string {
  const { prefix, number } = value as { prefix?: string | null; number?: number };
  return prefix ? `${prefix}-${number}` : String(number ?? "");
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
