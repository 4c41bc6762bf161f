import { record } from "./access.ts";
import { invalid } from "./errors.ts";
import { uuidOf } from "./ids.ts";
import { checkRichText } from "./limits.ts";
import { piece } from "./text.ts";
import type { Cell, NotionWorld, Property } from "./world.ts";

/** The plain text of rich text in a request. */
export function plainOf(pieces: unknown): string {
  const list = Array.isArray(pieces) ? pieces : [];
  return list.map((one) => String(record(record(one).text).content ?? record(one).plain_text ?? "")).join("");
}

/** An option of a select, as answers have it. */
export function optionView(name: string): Record<string, unknown> {
  return { id: uuidOf(`option ${name}`), name, color: "default" };
}

/** A cell as a property value in answers (developers.notion.com/reference/page-property-values). */
export function valueView(name: string, { type }: Property, cell: Cell | undefined, people: (id: string) => unknown) {
  const id = type === "title" ? "title" : propertyId(name);
  return { id, type, [type]: inner(type, cell ?? null, people) };
}

/** The short id of a property. */
export function propertyId(name: string): string {
  return uuidOf(`property ${name}`).slice(0, 4);
}

function inner(type: Property["type"], cell: Cell, people: (id: string) => unknown): unknown {
  const list = cell === null ? [] : [cell].flat();
  switch (type) {
    case "title":
    case "rich_text":
      return cell === null || cell === "" ? [] : [piece(String(cell))];
    case "select":
    case "status":
      return cell === null ? null : optionView(String(cell));
    case "multi_select":
      return list.map((one) => optionView(String(one)));
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

/** A property value of a request as a cell. Selects take new options, as Notion's do; a status takes only those it has. */
export function cellFrom(name: string, property: Property, value: unknown, world: NotionWorld): Cell {
  const { type } = property;
  const given = record(value)[type];
  const wrong = (what: string) => invalid(`body failed validation: body.properties.${name}.${type} should be ${what}.`);
  if (given === undefined) throw invalid(`${name} is expected to be ${type}.`);
  switch (type) {
    case "title":
    case "rich_text":
      checkRichText(given, `body.properties.${name}.${type}`);
      return plainOf(given);
    case "number":
      if (given !== null && typeof given !== "number") throw wrong("a number or `null`");
      return given;
    case "checkbox":
      if (typeof given !== "boolean") throw wrong("a boolean");
      return given;
    case "select":
    case "status":
      return given === null ? null : option(name, property, record(given).name);
    case "multi_select":
      if (!Array.isArray(given)) throw wrong("an array");
      return given.map((one) => option(name, property, record(one).name));
    case "people":
      if (!Array.isArray(given)) throw wrong("an array");
      return given.map((one) => userId(record(one).id, world));
    case "date":
      return given === null ? null : day(record(given), wrong);
    default:
      if (given !== null && typeof given !== "string") throw wrong("a string or `null`");
      return given;
  }
}

function option(name: string, property: Property, wanted: unknown): string {
  const text = String(wanted ?? "");
  if (text.includes(",") || text === "") throw invalid("Invalid select option, commas not allowed.");
  if (property.options.includes(text)) return text;
  if (property.type === "status")
    throw invalid(`Invalid status option. Status option "${text}" does not exist in "${name}".`);
  property.options.push(text);
  return text;
}

function userId(id: unknown, { users }: NotionWorld): string {
  if (users.some((user) => user.id === id)) return String(id);
  throw invalid("body failed validation: the people property has an id that is no user.");
}

function day({ start, end }: Record<string, unknown>, wrong: (what: string) => Error): string {
  const days = [start, end].filter((one) => one !== undefined && one !== null).map(String);
  if (start === undefined || days.some((one) => !/^\d{4}-\d\d-\d\d/.test(one) || Number.isNaN(Date.parse(one)))) {
    throw wrong("a valid ISO 8601 date string");
  }
  return days.join("/");
}
