import { parsePeriod } from "../period.ts";
import { createSeedLookup, requireUnique, SeedError, type SeedLookup } from "../seed-build.ts";
import type { AirtableSeed, BaseSeed, TableSeed } from "./seed.ts";
import type { AirtableRecord, AirtableState, Base, Cell, Field, Table } from "./state.ts";
import { createIdFromName } from "./state.ts";

/** Fills in an Airtable seed. @throws SeedError */
export function buildAirtable(data: AirtableSeed, now: number): AirtableState {
  const accounts = data.accounts.map((account) => ({
    ...account,
    id: account.id ?? createIdFromName("usr", account.email),
  }));
  const lookup = createSeedLookup(
    accounts.map(({ id, name, email }) => ({ id, names: [name, email] })),
    { now, days: 30 },
  );
  const bases = data.bases.map((base, index) => buildBase(base, lookup, `bases[${index}]`));
  requireUnique(bases, "bases", "name");
  return { accounts, bases };
}

function buildBase(data: BaseSeed, lookup: SeedLookup, path: string): Base {
  const id = data.id ?? createIdFromName("app", data.name);
  const tables = (data.tables ?? []).map((table) => ({
    ...table,
    id: table.id ?? createIdFromName("tbl", `${id} ${table.name}`),
  }));
  requireUnique(tables, `${path}.tables`, "name");
  const builtTables = tables.map((table, index) => buildTable(table, tables, lookup, `${path}.tables[${index}]`));
  for (const [index, table] of builtTables.entries()) resolve(table, builtTables, lookup, `${path}.tables[${index}]`);
  return {
    id,
    name: data.name,
    permissionLevel: data.permissionLevel ?? "create",
    members: lookup.people(data.members, `${path}.members`),
    tables: builtTables,
  };
}

type IdentifiedTable = TableSeed & { id: string };

function buildTable(data: IdentifiedTable, tables: IdentifiedTable[], lookup: SeedLookup, path: string): Table {
  const fields = data.fields.map((field, index): Field => {
    const linkedTable = field.linkedTableId ?? field.linkedTable ?? null;
    const linked = tables.find((table) => table.id === linkedTable || table.name === linkedTable);
    if (linkedTable !== null && !linked)
      throw new SeedError(`${path}.fields[${index}]`, `there is no table "${linkedTable}"`);
    return {
      id: field.id ?? createIdFromName("fld", `${data.id} ${field.name}`),
      name: field.name,
      type: field.type ?? (field.choices ? "singleSelect" : linked ? "multipleRecordLinks" : "singleLineText"),
      choices: field.choices ?? [],
      linkedTableId: linked?.id ?? null,
    };
  });
  requireUnique(fields, `${path}.fields`, "name");
  const records = (data.records ?? []).map(
    (record, index): AirtableRecord => ({
      id: record.id ?? createIdFromName("rec", `${data.id} ${index}`),
      createdTime: lookup.time(record.createdTime, lookup.longAgo, `${path}.records[${index}].createdTime`),
      fields: record.fields,
    }),
  );
  return { id: data.id, name: data.name, description: data.description ?? "", fields, records };
}

/** Converts names in cells to IDs, once all tables exist. */
function resolve(table: Table, tables: Table[], lookup: SeedLookup, path: string): void {
  for (const [index, record] of table.records.entries()) {
    const fieldsPath = `${path}.records[${index}].fields`;
    const cells = Object.entries(record.fields).map(([name, cell]): [string, Cell] => {
      const field = table.fields.find((candidate) => candidate.name === name);
      if (!field) throw new SeedError(fieldsPath, `there is no field "${name}"`);
      return [name, getCell(field, cell, tables, lookup, `${fieldsPath}.${name}`)];
    });
    record.fields = Object.fromEntries(cells);
  }
}

function getCell(field: Field, cell: Cell, tables: Table[], lookup: SeedLookup, path: string): Cell {
  if (field.type === "singleCollaborator") return lookup.person(String(cell), path);
  if (field.type === "date") {
    const shift = parsePeriod(String(cell));
    return shift === undefined ? cell : new Date(lookup.now + shift).toISOString().slice(0, 10);
  }
  if (field.type === "multipleRecordLinks") {
    const linked = tables.find(({ id }) => id === field.linkedTableId);
    return [cell].flat().map((name) => findRecordId(linked, String(name), path));
  }
  if (field.choices.length === 0) return cell;
  const invalidChoice = [cell].flat().find((choice) => !field.choices.includes(String(choice)));
  if (invalidChoice === undefined) return field.type === "multipleSelects" ? [cell].flat().map(String) : cell;
  throw new SeedError(path, `there is no choice "${invalidChoice}"; there are ${field.choices.join(", ")}`);
}

function findRecordId(table: Table | undefined, reference: string, path: string): string {
  const primary = table?.fields[0]?.name ?? "";
  const record = table?.records.find(({ id, fields }) => id === reference || fields[primary] === reference);
  if (!record) throw new SeedError(path, `there is no record "${reference}"${table ? ` in ${table.name}` : ""}`);
  return record.id;
}
