import { toRecord } from "#protocol/json";
import { createUuidFromName } from "../ids.ts";
import { invalidError } from "./errors.ts";
import { checkRichText } from "./limits.ts";
import type { Cell, NotionState, Property } from "./state.ts";
import { toTextPiece } from "./text.ts";

/** Returns the plain text of rich text in a request. */
export function toPlainText(pieces: unknown): string {
  const list = Array.isArray(pieces) ? pieces : [];
  return list.map((part) => String(toRecord(toRecord(part).text).content ?? toRecord(part).plain_text ?? "")).join("");
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
      return list.map((name) => toOptionView(String(name)));
    case "people":
      return list.map((reference) => people(String(reference)));
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
  const input = toRecord(value)[type];
  const createValueError = (expectation: string) =>
    invalidError(`body failed validation: body.properties.${name}.${type} should be ${expectation}.`);
  if (input === undefined) throw invalidError(`${name} is expected to be ${type}.`);
  switch (type) {
    case "title":
    case "rich_text":
      checkRichText(input, `body.properties.${name}.${type}`);
      return toPlainText(input);
    case "number":
      if (input !== null && typeof input !== "number") throw createValueError("a number or `null`");
      return input;
    case "checkbox":
      if (typeof input !== "boolean") throw createValueError("a boolean");
      return input;
    case "select":
    case "status":
      return input === null ? null : chooseOption(name, property, toRecord(input).name);
    case "multi_select":
      if (!Array.isArray(input)) throw createValueError("an array");
      return input.map((item) => chooseOption(name, property, toRecord(item).name));
    case "people":
      if (!Array.isArray(input)) throw createValueError("an array");
      return input.map((item) => requireUserId(toRecord(item).id, world));
    case "date":
      return input === null ? null : parseDay(toRecord(input), createValueError);
    default:
      if (input !== null && typeof input !== "string") throw createValueError("a string or `null`");
      return input;
  }
}

function chooseOption(name: string, property: Property, optionName: unknown): string {
  const text = String(optionName ?? "");
  if (text.includes(",") || text === "") throw invalidError("Invalid select option, commas not allowed.");
  if (property.options.includes(text)) return text;
  if (property.type === "status")
    throw invalidError(`Invalid status option. Status option "${text}" does not exist in "${name}".`);
  property.options.push(text);
  return text;
}

function requireUserId(id: unknown, { users }: NotionState): string {
  if (users.some((user) => user.id === id)) return String(id);
  throw invalidError("body failed validation: the people property has an unknown user ID.");
}

function parseDay({ start, end }: Record<string, unknown>, createError: (expectation: string) => Error): string {
  const days = [start, end].filter((date) => date !== undefined && date !== null).map(String);
  if (start === undefined || days.some((date) => !/^\d{4}-\d\d-\d\d/.test(date) || Number.isNaN(Date.parse(date)))) {
    throw createError("a valid ISO 8601 date string");
  }
  return days.join("/");
}
