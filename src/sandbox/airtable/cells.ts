import { unprocessableError } from "./errors.ts";
import type { Scalar } from "./formula.ts";
import type { AirtableRecord, AirtableState, Base, Cell, Field, Table } from "./state.ts";

/** Finds a field by name or ID. @throws ApiError UNKNOWN_FIELD_NAME */
export function findField({ fields }: Table, name: string): Field {
  const match = fields.find((field) => field.name === name || field.id === name);
  if (!match) throw unprocessableError("UNKNOWN_FIELD_NAME", `Unknown field name: "${name}"`);
  return match;
}

/** Returns a cell as in responses; undefined if it is empty, because responses omit those. */
export function toCellView(field: Field, record: AirtableRecord, world: AirtableState): unknown {
  if (field.type === "createdTime") return record.createdTime;
  const cell = record.fields[field.name];
  if (cell === undefined || cell === "" || cell === false || (Array.isArray(cell) && cell.length === 0))
    return undefined;
  if (field.type !== "singleCollaborator") return cell;
  const account = world.accounts.find(({ id }) => id === cell);
  return { id: cell, email: account?.email ?? "", name: account?.name ?? "" };
}

/** Returns a cell as formulas see it: linked records and people by name. */
export function toScalar(field: Field, record: AirtableRecord, base: Base, world: AirtableState): Scalar {
  if (field.type === "createdTime") return record.createdTime;
  const cell = record.fields[field.name];
  if (cell === undefined) return field.type === "checkbox" ? false : null;
  if (field.type === "singleCollaborator") return world.accounts.find(({ id }) => id === cell)?.name ?? null;
  if (!Array.isArray(cell)) return cell;
  const linked = base.tables.find(({ id }) => id === field.linkedTableId);
  const primary = linked?.fields[0]?.name ?? "";
  return cell
    .map((recordId) => linked?.records.find(({ id }) => id === recordId)?.fields[primary] ?? recordId)
    .join(", ");
}

/**
 * Converts a value of a request to a cell; undefined empties it. `typecast` converts texts to the field's type and adds
 * choices.
 */
export function parseCell(
  field: Field,
  value: unknown,
  typecast: boolean,
  base: Base,
  world: AirtableState,
): Cell | undefined {
  if (field.type === "createdTime") {
    throw unprocessableError(
      "INVALID_VALUE_FOR_COLUMN",
      `Field "${field.name}" cannot accept a value because the field is computed`,
    );
  }
  if (value === null || value === "") return undefined;
  switch (field.type) {
    case "number":
    case "percent":
      return typecast && typeof value === "string" && Number.isFinite(Number(value))
        ? Number(value)
        : pickGiven(field, value, typeof value === "number");
    case "checkbox":
      return pickGiven(field, value, typeof value === "boolean");
    case "singleSelect":
      return chooseOption(field, pickGiven(field, value, typeof value === "string"), typecast);
    case "multipleSelects":
      return list(field, value).map((choice) => chooseOption(field, choice, typecast));
    case "date":
      return pickGiven(
        field,
        value,
        typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
      );
    case "singleCollaborator":
      return findCollaborator(field, value, world);
    case "multipleRecordLinks":
      return list(field, value).map((reference) => findLinkedRecord(field, reference, base));
    default:
      return pickGiven(field, value, typeof value === "string");
  }
}

function pickGiven<T extends Cell>(field: Field, value: unknown, fits: boolean): T {
  if (fits) return value as T;
  throw unprocessableError("INVALID_VALUE_FOR_COLUMN", `Field "${field.name}" cannot accept the provided value`);
}

function list(field: Field, value: unknown): string[] {
  return pickGiven(field, value, Array.isArray(value) && value.every((item) => typeof item === "string"));
}

function chooseOption(field: Field, name: string, typecast: boolean): string {
  if (field.choices.includes(name)) return name;
  if (!typecast) {
    throw unprocessableError(
      "INVALID_MULTIPLE_CHOICE_OPTIONS",
      `Insufficient permissions to create new select option ""${name}""`,
    );
  }
  field.choices.push(name);
  return name;
}

function findCollaborator(field: Field, value: unknown, { accounts }: AirtableState): string {
  const { id, email } = (typeof value === "object" ? value : {}) as { id?: unknown; email?: unknown };
  const match = accounts.find((account) => account.id === id || account.email === email);
  return pickGiven(field, match?.id, match !== undefined);
}

function findLinkedRecord(field: Field, reference: string, base: Base): string {
  const records = base.tables.find(({ id }) => id === field.linkedTableId)?.records ?? [];
  if (records.some(({ id }) => id === reference)) return reference;
  throw unprocessableError("ROW_DOES_NOT_EXIST", `Record ID ${reference} does not exist`);
}
