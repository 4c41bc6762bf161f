import type { Context } from "hono";
import type { JsonRecord } from "#protocol/json";
import { ApiError, parseJsonObject, parseObjectList } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { type AirtableEnv, findTable } from "./access.ts";
import { findField, toScalar } from "./cells.ts";
import { invalidRequestError, parseError, unprocessableError } from "./errors.ts";
import { evaluateFormula, isTruthy } from "./formula.ts";
import { FormulaError, parseFormula } from "./formula-parse.ts";
import type { AirtableRecord, AirtableState, Base, Table } from "./state.ts";
import { toRecordView } from "./views.ts";

/** Parameters of a list (airtable.com/developers/web/api/list-records), from a query or a body. */
type ListOptions = {
  pageSize: number;
  maxRecords: number;
  offset?: string;
  formula?: string;
  sort: { field: string; direction: string }[];
  fields: string[];
  byId: boolean;
};

/** A page of records, and the offset of the next. */
export async function listRecords(c: Context<AirtableEnv>, provider: ProviderContext<AirtableState>) {
  const options = c.req.method === "POST" ? fromBody(await parseJsonObject(c, parseError)) : fromQuery(c);
  const { base, table } = findTable(c);
  if (options.pageSize < 1 || options.pageSize > 100 || !Number.isInteger(options.pageSize))
    throw invalidRequestError();
  const world = c.get("world");
  const matches = sort(filter(table.records, options, table, base, world, provider.now()), options, table, base, world);
  const records = matches.slice(0, options.maxRecords);
  const start = getStart(options.offset, records);
  const end = start + options.pageSize;
  const next = records[end];
  return c.json({
    records: records.slice(start, end).map((record) => toRecordView(table, record, world, options)),
    ...(next ? { offset: `itr${table.id.slice(3)}/${next.id}` } : {}),
  });
}

function fromQuery(c: Context<AirtableEnv>): ListOptions {
  const query = new URL(c.req.url).searchParams;
  const sort: ListOptions["sort"] = [];
  for (let index = 0; query.has(`sort[${index}][field]`); index++) {
    const direction = query.get(`sort[${index}][direction]`) ?? "asc";
    sort.push({ field: query.get(`sort[${index}][field]`) ?? "", direction });
  }
  return {
    pageSize: Number(query.get("pageSize") ?? 100),
    maxRecords: Number(query.get("maxRecords") ?? Number.POSITIVE_INFINITY),
    offset: query.get("offset") ?? undefined,
    formula: query.get("filterByFormula") ?? undefined,
    sort,
    fields: query.getAll("fields[]"),
    byId: query.get("returnFieldsByFieldId") === "true",
  };
}

function fromBody(body: JsonRecord): ListOptions {
  const { fields = [] } = body;
  if (!Array.isArray(fields)) throw invalidRequestError();
  return {
    pageSize: Number(body.pageSize ?? 100),
    maxRecords: Number(body.maxRecords ?? Number.POSITIVE_INFINITY),
    offset: getText(body.offset),
    formula: getText(body.filterByFormula),
    sort: parseObjectList(body.sort, invalidRequestError).map(({ field, direction = "asc" }) => ({
      field: String(field),
      direction: String(direction),
    })),
    fields: fields.map(String),
    byId: body.returnFieldsByFieldId === true,
  };
}

/** @throws ApiError 422 for a value that is neither a text nor absent */
function getText(value: unknown): string | undefined {
  if (value !== undefined && typeof value !== "string") throw invalidRequestError();
  return value;
}

function filter(
  records: AirtableRecord[],
  { formula }: ListOptions,
  table: Table,
  base: Base,
  world: AirtableState,
  now: number,
): AirtableRecord[] {
  if (formula === undefined || formula.trim() === "") return records;
  try {
    const parsed = parseFormula(formula);
    return records.filter((record) => {
      const readField = (name: string) => toScalar(findField(table, name), record, base, world);
      return isTruthy(evaluateFormula(parsed, { field: readField, id: record.id, now }));
    });
  } catch (error) {
    if (!(error instanceof FormulaError) && !(error instanceof ApiError)) throw error;
    const reason =
      error instanceof FormulaError
        ? "Please check your formula text."
        : error.message
            .replace(/^Unknown field name: /, "Unknown field names: ")
            .replaceAll('"', "")
            .toLowerCase();
    throw unprocessableError("INVALID_FILTER_BY_FORMULA", `The formula for filtering records is invalid: ${reason}`);
  }
}

function sort(
  records: AirtableRecord[],
  { sort }: ListOptions,
  table: Table,
  base: Base,
  world: AirtableState,
): AirtableRecord[] {
  const keys = sort.map(({ field, direction }) => ({
    field: findField(table, field),
    turn: direction === "desc" ? -1 : 1,
  }));
  return [...records].sort((a, b) => {
    for (const { field, turn } of keys) {
      const [left, right] = [toScalar(field, a, base, world), toScalar(field, b, base, world)];
      const isSelect = field.choices.length > 0;
      const difference = isSelect
        ? field.choices.indexOf(String(left)) - field.choices.indexOf(String(right))
        : typeof left === "number" && typeof right === "number"
          ? left - right
          : String(left ?? "").localeCompare(String(right ?? ""), "en");
      if (difference !== 0) return turn * difference;
    }
    return 0;
  });
}

function getStart(offset: string | undefined, records: AirtableRecord[]): number {
  if (offset === undefined || offset === "") return 0;
  const index = records.findIndex(({ id }) => offset.endsWith(`/${id}`));
  if (index >= 0) return index;
  throw unprocessableError(
    "LIST_RECORDS_ITERATOR_NOT_AVAILABLE",
    "The iterator is not available. Please start a new list request.",
  );
}
