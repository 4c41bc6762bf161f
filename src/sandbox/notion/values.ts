import { toRecord } from "./access.ts";
import { invalidError } from "./errors.ts";
import { createUuidFromName } from "./ids.ts";
import { checkRichText } from "./limits.ts";
import type { Cell, NotionState, Property } from "./state.ts";
import { toTextPiece } from "./text.ts";

/** Returns the plain text of rich text in a request. */
export function toPlainText(pieces: unknown): string {
  const list = Array.isArray(pieces) ? pieces : [];
  return list.map((one) => String(toRecord(toRecord(one).text).content ?? toRecord(one).plain_text ?? "")).join("");
}

/** Returns an option of a select as in responses. */
export function toOptionView(name: string): Record<string, unknown> {
  return { id: createUuidFromName(`option ${name}`), name, color: "default" };
}

/** Converts a cell to a property value of a response (developers.notion.com/reference/page-property-values). */
export function toValueView(name: string, { type }: Property, cell: Cell | undefined, people: (id: string) => unknown) {
  const id = type === "title" ? "title" : getPropertyId(name);
  return { id, type, [type]: toInner(type, cell ?? null, people) };
}

/** Derives the short ID of a property. */
export function getPropertyId(name: string): string {
  return createUuidFromName(`property ${name}`).slice(0, 4);
}

function toInner(type: Property["type"], cell: Cell, people: (id: string) => unknown): unknown {
  const list = cell === null ? [] : [cell].flat();
  switch (type) {
    case "title":
    case "rich_text":
      return cell === null || cell === "" ? [] : [toTextPiece(String(cell))];
    case "select":
    case "status":
      return cell === null ? null : toOptionView(String(cell));
    case "multi_select":
      return list.map((one) => toOptionView(String(one)));
    case "people":
      return list.map((one) => people(String(one)));
    case "checkbox":
      return cell === true;
    case "date": {
      const [start, end = null] = String(cell ?? "").split("/");
      return cell === null ? null : { start, end, time_zone: null };
    }
    default:
      return cell;
  }
}

/**
 * Converts a property value of a request to a cell. Selects accept new options, like Notion's; a status accepts only
 * existing ones.
 */
export function parseCell(name: string, property: Property, value: unknown, world: NotionState): Cell {
  const { type } = property;
  const given = toRecord(value)[type];
  const createValueError = (what: string) =>
    invalidError(`body failed validation: body.properties.${name}.${type} should be ${what}.`);
  if (given === undefined) throw invalidError(`${name} is expected to be ${type}.`);
  switch (type) {
    case "title":
    case "rich_text":
      checkRichText(given, `body.properties.${name}.${type}`);
      return toPlainText(given);
    case "number":
      if (given !== null && typeof given !== "number") throw createValueError("a number or `null`");
      return given;
    case "checkbox":
      if (typeof given !== "boolean") throw createValueError("a boolean");
      return given;
    case "select":
    case "status":
      return given === null ? null : chooseOption(name, property, toRecord(given).name);
    case "multi_select":
      if (!Array.isArray(given)) throw createValueError("an array");
      return given.map((one) => chooseOption(name, property, toRecord(one).name));
    case "people":
      if (!Array.isArray(given)) throw createValueError("an array");
      return given.map((one) => requireUserId(toRecord(one).id, world));
    case "date":
      return given === null ? null : parseDay(toRecord(given), createValueError);
    default:
      if (given !== null && typeof given !== "string") throw createValueError("a string or `null`");
      return given;
  }
}

function chooseOption(name: string, property: Property, wanted: unknown): string {
  const text = String(wanted ?? "");
  if (text.includes(",") || text === "") throw invalidError("Invalid select option, commas not allowed.");
  if (property.options.includes(text)) return text;
  if (property.type === "status")
    throw invalidError(`Invalid status option. Status option "${text}" does not exist in "${name}".`);
  property.options.push(text);
  return text;
}

function requireUserId(id: unknown, { users }: NotionState): string {
  if (users.some((user) => user.id === id)) return String(id);
  throw invalidError("body failed validation: the people property has an id that is no user.");
}

function parseDay({ start, end }: Record<string, unknown>, wrong: (what: string) => Error): string {
  const days = [start, end].filter((one) => one !== undefined && one !== null).map(String);
  if (start === undefined || days.some((one) => !/^\d{4}-\d\d-\d\d/.test(one) || Number.isNaN(Date.parse(one)))) {
    throw wrong("a valid ISO 8601 date string");
  }
  return days.join("/");
}
