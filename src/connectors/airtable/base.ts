import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { type ListRequest, readPages } from "../http/pages.ts";
import { escapeCell } from "../markup/markdown.ts";
import { isPartialName, isSameName, type Purpose } from "../match.ts";
import { quoteName } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";

/** The fields of tools that name a table and its base. */
export const TABLE_FIELD = withDescription(z.string(), "Title, id or URL of the table.");
export const BASE_FIELD = withDescription(
  z.optional(z.string()),
  "Name or id of the base, if several bases have a table with this name.",
);

const Bases = z.looseObject({
  bases: z.array(z.looseObject({ id: z.string(), name: z.string(), permissionLevel: z.nullish(z.string()) })),
  offset: z.nullish(z.string()),
});
export type Base = z.output<typeof Bases>["bases"][number];

const Field = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  options: z.nullish(
    z.looseObject({
      choices: z.nullish(z.array(z.looseObject({ name: z.string() }))),
      linkedTableId: z.nullish(z.string()),
    }),
  ),
});
export type Field = z.output<typeof Field>;

const Tables = z.looseObject({
  tables: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      description: z.nullish(z.string()),
      primaryFieldId: z.nullish(z.string()),
      fields: z.array(Field),
    }),
  ),
});
export type Table = z.output<typeof Tables>["tables"][number];

/** A table with its base and the other tables of that base, to which it may link. */
export type TablePlace = { base: Base; table: Table; tables: Table[] };

/** Maximum number of bases searched for a table when no base is named. */
const MAX_BASES = 10;

/**
 * Lists every base that the connection opens. Source: https://airtable.com/developers/web/api/list-bases (1,000 per
 * page)
 */
async function listAllBases(context: ToolContext): Promise<Base[]> {
  return (await readBases(context, () => false)).items;
}

/** Reads bases up to a limit. */
export function readBases({ http }: ToolContext, enough: ListRequest | (() => boolean)) {
  const fetchPage = async (offset: string | undefined) => {
    const request = { path: "/v0/meta/bases", query: { offset }, answer: Bases, scope: "schema.bases:read" };
    const page = await http.request(request);
    return { items: page.bases, next: page.offset };
  };
  return readPages(fetchPage, enough, 10);
}

/** Lists the tables of a base with their fields. Source: https://airtable.com/developers/web/api/get-base-schema */
export async function listTables({ http }: ToolContext, base: Base): Promise<Table[]> {
  const path = `/v0/meta/bases/${encodeURIComponent(base.id)}/tables`;
  return (await http.request({ path, answer: Tables, scope: "schema.bases:read" })).tables;
}

/**
 * Finds a base by name, ID or URL. Without one, returns the only base.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findBase(context: ToolContext, text: string | undefined, purpose: Purpose): Promise<Base> {
  const bases = await listAllBases(context);
  const [only, ...more] = text?.trim() ? filterMatches(bases, text, "app", purpose) : bases;
  if (only && more.length === 0) return only;
  const name = text?.trim();
  const sentence = !name
    ? only
      ? "Airtable has several bases."
      : "Airtable has no base that kay can access."
    : `${only ? "Several bases" : "No base"} in Airtable ${only ? "match" : "is called"} “${escapeCell(name)}”.`;
  throw new Problem("INVALID_REQUEST", sentence, { hint: findByName("base", bases), details: { field: "base" } });
}

/**
 * Finds a table by name, ID or URL. Without a base, searches the first bases.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findTable(
  context: ToolContext,
  { table, base }: { table: string; base?: string | undefined },
  purpose: Purpose,
): Promise<TablePlace> {
  const address = /^https?:/i.test(table.trim()) ? table : undefined;
  const candidates =
    (base ?? address) ? [await findBase(context, base ?? address, purpose)] : await listAllBases(context);
  const places: TablePlace[] = [];
  const tableNames: { name: string }[] = [];
  for (const candidateBase of candidates.slice(0, MAX_BASES)) {
    const tables = await listTables(context, candidateBase);
    tableNames.push(...tables);
    places.push(
      ...filterMatches(tables, table, "tbl", purpose).map((table) => ({ base: candidateBase, table: table, tables })),
    );
  }
  const exact = places.filter((place) => isSameName(place.table.name, table) || place.table.id === table.trim());
  const [only, ...more] = exact.length > 0 ? exact : places;
  if (only && more.length === 0) return only;
  if (only) {
    const where = [only, ...more]
      .map((place) => `${escapeCell(place.table.name)} in ${escapeCell(place.base.name)}`)
      .join(", ");
    throw new Problem("INVALID_REQUEST", `Several tables in Airtable match “${escapeCell(table.trim())}”: ${where}.`, {
      hint: "Specify the base too.",
      details: { field: "base" },
    });
  }
  throw new Problem("INVALID_REQUEST", `No table in Airtable is called “${escapeCell(table.trim())}”.`, {
    hint: findByName("table", tableNames),
    details: { field: "table" },
  });
}

/** Finds a field by name, ignoring case. @throws Problem INVALID_REQUEST that lists the existing fields */
export function findField({ fields, name: table }: Table, fieldName: string): Field {
  const text = fieldName.trim();
  const field = fields.find(({ id, name }) => id === text || isSameName(name, text));
  if (field) return field;
  throw new Problem("INVALID_REQUEST", `The table ${escapeCell(table)} has no field “${escapeCell(text)}”.`, {
    hint: findByName("field", fields),
    details: { field: "field" },
  });
}

/** Returns the field that names a record. */
export function findPrimaryField({ fields, primaryFieldId }: Table): Field | undefined {
  return fields.find(({ id }) => id === primaryFieldId) ?? fields[0];
}

/** Returns the API path of a table. It uses IDs, since names can change while kay runs. */
export function getTablePath({ base, table }: TablePlace): string {
  return `/v0/${encodeURIComponent(base.id)}/${encodeURIComponent(table.id)}`;
}

/** Returns the ID of a kind (`app`, `tbl`, `rec`) from an ID or URL. */
export function findId(text: string, kind: "app" | "tbl" | "rec"): string | undefined {
  return new RegExp(`(?:^|/)(${kind}[A-Za-z0-9]{14})(?=$|[/?#])`).exec(text.trim())?.[1];
}

/** Returns the text of an approval for a table, with the base if the input names one. It prefers IDs over names. */
export function formatTablePlace(table: string, base: string | undefined): string | undefined {
  const name = findId(table, "tbl") ?? quoteName(table);
  const within = base?.trim() ? (findId(base, "app") ?? quoteName(base)) : (findId(table, "app") ?? null);
  if (name === undefined || within === undefined) return undefined;
  return within === null ? `in the table ${name}` : `in the table ${name} of the base ${within}`;
}

function filterMatches<T extends { id: string; name: string }>(
  list: T[],
  text: string,
  kind: "app" | "tbl",
  purpose: Purpose,
): T[] {
  const id = findId(text, kind);
  if (id) return list.filter((entry) => entry.id === id);
  const exact = list.filter(({ name }) => isSameName(name, text));
  return exact.length > 0 || purpose === "change" ? exact : list.filter(({ name }) => isPartialName(text, name));
}

function findByName(noun: string, list: { name: string }[]): string {
  const names = list.slice(0, 20).map(({ name }) => escapeCell(name));
  return names.length > 0
    ? `Specify the ${noun}. Available: ${names.join(", ")}.`
    : "Check whether you allowed access to it when you connected.";
}
