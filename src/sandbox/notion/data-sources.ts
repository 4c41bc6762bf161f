import type { Context, Hono } from "hono";
import { toRecord } from "#protocol/json";
import { findDataSource, type NotionEnv, normalizeId, paginate, parseBody, requireCapability } from "./access.ts";
import { invalidError, notFoundError } from "./errors.ts";
import type { Cell, Database, Property, Row } from "./state.ts";
import { toDatabaseView, toDataSourceView, toPageView } from "./views.ts";

/** Databases and their data sources (developers.notion.com/reference/database and …/data-source). */
export function registerDataSourceRoutes(app: Hono<NotionEnv>): void {
  app.get("/databases/:id", requireCapability("read_content"), (c) => {
    const database = c.get("world").databases.find(({ id }) => id === normalizeId(c.req.param("id")));
    if (!database) throw notFoundError("database", c.req.param("id"));
    return c.json(toDatabaseView(c, database));
  });
  app.get("/data_sources/:id", requireCapability("read_content"), (c) =>
    c.json(toDataSourceView(c, findDataSource(c.get("world"), c.req.param("id")))),
  );
  app.post("/data_sources/:id/query", requireCapability("read_content"), (c) => query(c));
}

async function query(c: Context<NotionEnv>) {
  const body = await parseBody(c);
  const database = findDataSource(c.get("world"), c.req.param("id") ?? "");
  const activeRows = database.rows.filter(({ in_trash }) => !in_trash);
  const rows = sort(
    activeRows.filter((row) => body.filter === undefined || holds(database, row, toRecord(body.filter))),
    database,
    body.sorts,
  );
  const views = rows.map((row) => toPageView(c, { row, database }));
  return c.json({
    ...paginate(views, body.page_size, body.start_cursor),
    type: "page_or_data_source",
    page_or_data_source: {},
  });
}

/** Filters (developers.notion.com/reference/post-database-query-filter): properties, `and`, `or`. */
function holds(database: Database, row: Row, filter: Record<string, unknown>): boolean {
  if (Array.isArray(filter.and)) return filter.and.every((filter) => holds(database, row, toRecord(filter)));
  if (Array.isArray(filter.or)) return filter.or.some((filter) => holds(database, row, toRecord(filter)));
  const name = String(filter.property ?? "");
  const property = database.properties[name];
  if (!property) throw invalidError(`Could not find property with name or id: ${name}`);
  const condition = filter[property.type];
  if (condition === undefined) throw invalidError(`database property ${property.type} does not match filter`);
  return Object.entries(toRecord(condition)).every(([operator, operand]) =>
    fulfils(row.properties[name] ?? null, property, operator, operand),
  );
}

function fulfils(cell: Cell, { type }: Property, operator: string, operand: unknown): boolean {
  const isEmpty = cell === null || cell === "" || (Array.isArray(cell) && cell.length === 0);
  const text = String(cell ?? "").toLowerCase();
  const operandText = String(operand ?? "").toLowerCase();
  const containsOperand = Array.isArray(cell) ? cell.includes(String(operand)) : text.includes(operandText);
  switch (operator) {
    case "equals":
      return type === "checkbox" ? (cell === true) === (operand === true) : text === operandText;
    case "does_not_equal":
      return type === "checkbox" ? (cell === true) !== (operand === true) : text !== operandText;
    case "contains":
      return containsOperand;
    case "does_not_contain":
      return !containsOperand;
    case "starts_with":
      return text.startsWith(operandText);
    case "ends_with":
      return text.endsWith(operandText);
    case "is_empty":
      return isEmpty;
    case "is_not_empty":
      return !isEmpty;
    default:
      return compares(cell, operator, operand);
  }
}

function compares(cell: Cell, operator: string, operand: unknown): boolean {
  const difference = order(cell, operand as Cell);
  if (cell === null) return false;
  switch (operator) {
    case "greater_than":
    case "after":
      return difference > 0;
    case "less_than":
    case "before":
      return difference < 0;
    case "greater_than_or_equal_to":
    case "on_or_after":
      return difference >= 0;
    case "less_than_or_equal_to":
    case "on_or_before":
      return difference <= 0;
    default:
      throw invalidError(
        `body failed validation: body.filter has an operator that the sandbox does not know: ${operator}.`,
      );
  }
}

function sort(rows: Row[], database: Database, sorts: unknown): Row[] {
  const orders = (Array.isArray(sorts) ? sorts : []).map(toRecord);
  const invalidSort = orders.find(
    ({ property, timestamp }) => timestamp === undefined && !database.properties[String(property)],
  );
  if (invalidSort) throw invalidError(`Could not find sort property with name or id: ${String(invalidSort.property)}`);
  return [...rows].sort((a, b) => {
    for (const { property, timestamp, direction } of orders) {
      const getSortKey = (row: Row): Cell =>
        timestamp === undefined
          ? (row.properties[String(property)] ?? null)
          : timestamp === "created_time"
            ? row.created_time
            : row.last_edited_time;
      const difference = order(getSortKey(a), getSortKey(b));
      if (difference !== 0) return direction === "descending" ? -difference : difference;
    }
    return 0;
  });
}

function order(a: Cell, b: Cell): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a ?? "").localeCompare(String(b ?? ""), "en");
}
