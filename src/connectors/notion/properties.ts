import * as z from "zod/mini";
import { joinPieces, type NotionObject } from "./title.ts";

const Named = z.looseObject({ name: z.nullish(z.string()) });
const Dated = z.looseObject({ start: z.nullish(z.string()), end: z.nullish(z.string()) });

/** Formats the properties of a page or row as text, without the title. Empty ones are "". */
export function formatProperties({ properties }: NotionObject): Record<string, string> {
  const entries = Object.entries(properties ?? {}).filter(([, { type }]) => type !== "title");
  return Object.fromEntries(entries.map(([name, property]) => [name, formatProperty(property)]));
}

/** Formats the value of a property. Source: https://developers.notion.com/reference/page-property-values */
function formatProperty(property: Record<string, unknown>): string {
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
      return toList(value).map(findByName).filter(Boolean).join(", ");
    case "date":
      return formatDate(value);
    case "relation":
      return toList(value).length > 0 ? `${toList(value).length} linked` : "";
    case "unique_id":
      return formatUniqueId(value);
    case "formula":
    case "rollup":
      return formatProperty(value as Record<string, unknown>);
    case "array":
      return toList(value)
        .map((one) => formatProperty(one as Record<string, unknown>))
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

function formatDate(value: unknown): string {
  const result = Dated.safeParse(value);
  if (!result.success) return "";
  const { start, end } = result.data;
  return end ? `${start ?? ""} – ${end}` : (start ?? "");
}

function formatUniqueId(value: unknown): string {
  const { prefix, number } = value as { prefix?: string | null; number?: number };
  return prefix ? `${prefix}-${number}` : String(number ?? "");
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
