import { toCellView } from "./cells.ts";
import type { AirtableRecord, AirtableState, Base, Field, Table } from "./state.ts";

/** Returns a record as in responses, without empty cells. */
export function toRecordView(
  { fields }: Table,
  record: AirtableRecord,
  world: AirtableState,
  query: { fields?: string[]; byId?: boolean } = {},
): Record<string, unknown> {
  const columns = query.fields?.length
    ? fields.filter(({ id, name }) => query.fields?.includes(name) || query.fields?.includes(id))
    : fields;
  const cells = columns.flatMap((field) => {
    const value = toCellView(field, record, world);
    return value === undefined ? [] : [[query.byId ? field.id : field.name, value] as const];
  });
  return { id: record.id, createdTime: record.createdTime, fields: Object.fromEntries(cells) };
}

/** Returns a base as in the list of bases. */
export function toBaseView({ id, name, permissionLevel }: Base): Record<string, unknown> {
  return { id, name, permissionLevel };
}

/** Returns a table as in the schema of its base (airtable.com/developers/web/api/get-base-schema). */
export function toTableView({ id, name, description, fields }: Table): Record<string, unknown> {
  return {
    id,
    name,
    ...(description ? { description } : {}),
    primaryFieldId: fields[0]?.id,
    fields: fields.map(toFieldView),
    views: [{ id: `viw${id.slice(3)}`, name: "Grid view", type: "grid" }],
  };
}

function toFieldView({ id, name, type, choices, linkedTableId }: Field): Record<string, unknown> {
  return { id, name, type, ...getOptions(type, choices, linkedTableId, id) };
}

function getOptions(
  type: string,
  choices: string[],
  linkedTableId: string | null,
  id: string,
): Record<string, unknown> {
  if (/Select/.test(type)) {
    const choicesView = choices.map((name, index) => ({
      id: `sel${id.slice(3, 15)}${index % 10}x`,
      name,
      color: "blueLight2",
    }));
    return { options: { choices: choicesView } };
  }
  if (type === "multipleRecordLinks")
    return { options: { linkedTableId, isReversed: false, prefersSingleRecordLink: false } };
  if (type === "number" || type === "percent") return { options: { precision: 0 } };
  if (type === "date") return { options: { dateFormat: { name: "iso", format: "YYYY-MM-DD" } } };
  return type === "checkbox" ? { options: { icon: "check", color: "greenBright" } } : {};
}
