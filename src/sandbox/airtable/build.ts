import { requireUnique, SeedError } from "../provider.ts";
import { parseMoment, parsePeriod } from "../seed-time.ts";
import type { AirtableSeed, BaseSeed, TableSeed } from "./seed.ts";
import type { Account, AirtableRecord, AirtableState, Base, Cell, Field, Table } from "./state.ts";
import { createIdFromName } from "./state.ts";

/** Fills in an Airtable seed. @throws SeedFault */
export function buildAirtable(data: AirtableSeed, now: number): AirtableState {
  const accounts = data.accounts.map((account) => ({
    ...account,
    id: account.id ?? createIdFromName("usr", account.email),
  }));
  const bases = data.bases.map((base, index) => buildBase(base, accounts, now, `bases[${index}]`));
  requireUniqueNames(bases, "bases");
  return { accounts, bases };
}

function buildBase(data: BaseSeed, accounts: Account[], now: number, path: string): Base {
  const id = data.id ?? createIdFromName("app", data.name);
  const tables = (data.tables ?? []).map((table) => ({
    ...table,
    id: table.id ?? createIdFromName("tbl", `${id} ${table.name}`),
  }));
  requireUniqueNames(tables, `${path}.tables`);
  const built = tables.map((table, index) => buildTable(table, tables, now, `${path}.tables[${index}]`));
  for (const [index, table] of built.entries()) resolve(table, built, accounts, now, `${path}.tables[${index}]`);
  return {
    id,
    name: data.name,
    permissionLevel: data.permissionLevel ?? "create",
    members: (data.members ?? []).map((reference, index) =>
      findPerson(accounts, reference, `${path}.members[${index}]`),
    ),
    tables: built,
  };
}

type Named = TableSeed & { id: string };

function buildTable(data: Named, tables: Named[], now: number, path: string): Table {
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
  requireUniqueNames(fields, `${path}.fields`);
  const records = (data.records ?? []).map(
    (record, index): AirtableRecord => ({
      id: record.id ?? createIdFromName("rec", `${data.id} ${index}`),
      createdTime: parseMoment(record.createdTime ?? "-30d", now, `${path}.records[${index}].createdTime`),
      fields: record.fields,
    }),
  );
  return { id: data.id, name: data.name, description: data.description ?? "", fields, records };
}

/** Names in cells become IDs once everything that they can name exists. */
function resolve(table: Table, tables: Table[], accounts: Account[], now: number, path: string): void {
  for (const [index, record] of table.records.entries()) {
    const fieldsPath = `${path}.records[${index}].fields`;
    const cells = Object.entries(record.fields).map(([name, cell]): [string, Cell] => {
      const field = table.fields.find((candidate) => candidate.name === name);
      if (!field) throw new SeedError(fieldsPath, `there is no field "${name}"`);
      return [name, getCell(field, cell, tables, accounts, now, `${fieldsPath}.${name}`)];
    });
    record.fields = Object.fromEntries(cells);
  }
}

function getCell(field: Field, cell: Cell, tables: Table[], accounts: Account[], now: number, path: string): Cell {
  if (field.type === "singleCollaborator") return findPerson(accounts, String(cell), path);
  if (field.type === "date") {
    const shift = parsePeriod(String(cell));
    return shift === undefined ? cell : new Date(now + shift).toISOString().slice(0, 10);
  }
  if (field.type === "multipleRecordLinks") {
    const linked = tables.find(({ id }) => id === field.linkedTableId);
    return [cell].flat().map((name) => recordIn(linked, String(name), path));
  }
  if (field.choices.length === 0) return cell;
  const invalidChoice = [cell].flat().find((choice) => !field.choices.includes(String(choice)));
  if (invalidChoice === undefined) return field.type === "multipleSelects" ? [cell].flat().map(String) : cell;
  throw new SeedError(path, `there is no choice "${invalidChoice}"; there are ${field.choices.join(", ")}`);
}

function findPerson(accounts: Account[], reference: string, path: string): string {
  const account = accounts.find(({ id, name, email }) => [id, name, email].includes(reference));
  if (!account) throw new SeedError(path, `there is no account "${reference}"`);
  return account.id;
}

function recordIn(table: Table | undefined, reference: string, path: string): string {
  const primary = table?.fields[0]?.name ?? "";
  const record = table?.records.find(({ id, fields }) => id === reference || fields[primary] === reference);
  if (!record) throw new SeedError(path, `there is no record "${reference}"${table ? ` in ${table.name}` : ""}`);
  return record.id;
}

function requireUniqueNames(list: { name: string }[], path: string): void {
  requireUnique(
    list.map(({ name }) => name),
    (index) => `${path}[${index}].name`,
  );
}
