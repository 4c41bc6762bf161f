import type { ApiError } from "../../api.ts";
import { parsePeriod } from "../../period.ts";
import { isOrdered } from "../../query/compare.ts";
import { QuerySyntaxError } from "../../query/lexer.ts";
import {
  type Comparison,
  listComparisons,
  matchesCondition,
  type Operand,
  type Operator,
  parseQuery,
  type Query,
  type Sorting,
} from "../../query/parser.ts";
import { containsWords } from "../../query/words.ts";
import type { Page, Site } from "../state.ts";
import { confluenceError } from "./errors.ts";
import { getStorageText, parseStorage } from "./storage.ts";

/** Context of a CQL query. */
export type CqlContext = { site: Site; me: string; now: number };

type Field = { kind: "name" | "text" | "date"; operators: Operator[]; of(page: Page, site: Site): string[] };

const NAMES: Operator[] = ["=", "!=", "IN", "NOT IN"];
const TEXTS: Operator[] = ["~", "!~"];
const DATES: Operator[] = ["=", "!=", "<", "<=", ">", ">="];

const FIELDS: Record<string, Field> = {
  type: { kind: "name", operators: NAMES, of: () => ["page"] },
  space: { kind: "name", operators: NAMES, of: (page) => [page.space] },
  id: { kind: "name", operators: NAMES, of: (page) => [page.id] },
  content: { kind: "name", operators: NAMES, of: (page) => [page.id] },
  parent: { kind: "name", operators: NAMES, of: (page) => (page.parent === null ? [] : [page.parent]) },
  ancestor: { kind: "name", operators: NAMES, of: (page, site) => listAncestors(page, site) },
  creator: { kind: "name", operators: NAMES, of: (page) => [page.author] },
  contributor: { kind: "name", operators: NAMES, of: (page) => [page.author] },
  label: { kind: "name", operators: NAMES, of: () => [] },
  title: { kind: "text", operators: [...TEXTS, ...NAMES], of: (page) => [page.title] },
  text: { kind: "text", operators: TEXTS, of: (page) => [`${page.title}\n${getPageText(page)}`] },
  sitesearch: { kind: "text", operators: TEXTS, of: (page) => [`${page.title}\n${getPageText(page)}`] },
  created: { kind: "date", operators: DATES, of: (page) => [page.created] },
  lastmodified: { kind: "date", operators: DATES, of: (page) => [page.updated] },
};

/**
 * Returns the pages that a CQL query finds, in its order.
 * @throws ApiError 400 for an invalid query, as API v1 words it
 */
export function runCql(cql: string, context: CqlContext): Page[] {
  const query = parse(cql);
  const unfit = [...listComparisons(query.condition)].find((comparison) => !fits(comparison, context));
  const unsorted = query.order.find(({ field }) => !findKnown(field));
  if (query.condition === null || unfit || unsorted) throw refuse(cql);
  const pages = context.site.pages.filter((page) =>
    matchesCondition(query.condition, (comparison) => holds(comparison, page, context)),
  );
  return pages.sort((a, b) => compare(a, b, query.order));
}

/** Returns the words of a query, to be highlighted in results. */
export function listSearchedWords(cql: string): string[] {
  const comparisons = listComparisons(parse(cql).condition).filter(({ operator }) => operator === "~");
  return comparisons.flatMap(({ operands }) =>
    operands.flatMap((operand) => (operand.kind === "text" ? (operand.text.match(/[\p{L}\p{N}_]+/gu) ?? []) : [])),
  );
}

/** Returns a page's text without its markup. */
export function getPageText(page: Page): string {
  return getStorageText(parseStorage(page.body)).trim();
}

function parse(cql: string): Query {
  try {
    return parseQuery(cql);
  } catch (error) {
    if (error instanceof QuerySyntaxError) throw refuse(cql);
    throw error;
  }
}

function refuse(cql: string): ApiError {
  return confluenceError(1, 400, `Could not parse cql : ${cql}`);
}

function fits({ field: name, operator, operands }: Comparison, context: CqlContext): boolean {
  const field = findKnown(name);
  return (
    field?.operators.includes(operator) === true &&
    operands.every((operand) => getMeaning(operand, field, context) !== undefined)
  );
}

function holds({ field: name, operator, operands }: Comparison, page: Page, context: CqlContext): boolean {
  const field = findKnown(name);
  if (!field) return false;
  const pageValues = field.of(page, context.site);
  const values = operands.map((operand) => getMeaning(operand, field, context) ?? "");
  if (operator === "~" || operator === "!~")
    return pageValues.some((text) => containsWords(text, values[0] ?? "")) === (operator === "~");
  const equal = pageValues.some((text) => values.some((value) => value.toLowerCase() === text.toLowerCase()));
  if (operator === "=" || operator === "IN") return equal;
  if (operator === "!=" || operator === "NOT IN") return !equal;
  return isOrdered(operator, Date.parse(pageValues[0] ?? "") - Date.parse(values[0] ?? ""));
}

function getMeaning(operand: Operand, field: Field, { me, now }: CqlContext): string | undefined {
  if (operand.kind === "empty") return undefined;
  if (operand.kind === "function") {
    if (operand.name.toLowerCase() === "currentuser") return field.kind === "name" ? me : undefined;
    const shift = operand.args[0] === undefined ? 0 : parsePeriod(operand.args[0]);
    return operand.name.toLowerCase() === "now" && field.kind === "date" && shift !== undefined
      ? new Date(now + shift).toISOString()
      : undefined;
  }
  if (field.kind !== "date") return operand.text;
  const time = Date.parse(
    operand.text
      .replace(/\//g, "-")
      .replace(/^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d))?$/, "$1T$2:00Z")
      .replace("T:00Z", "T00:00:00Z"),
  );
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function compare(a: Page, b: Page, order: Sorting[]): number {
  for (const { field: name, descending } of order) {
    const field = findKnown(name);
    const [left = "", right = ""] = [a, b].map((page) => field?.of(page, { pages: [] } as unknown as Site)[0] ?? "");
    const difference = left.localeCompare(right, "en");
    if (difference !== 0) return descending ? -difference : difference;
  }
  return b.updated.localeCompare(a.updated) || Number(a.id) - Number(b.id);
}

function findKnown(name: string): Field | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(FIELDS, lower) ? FIELDS[lower] : undefined;
}

function listAncestors(page: Page, site: Site): string[] {
  const parent = site.pages.find(({ id }) => id === page.parent);
  return parent ? [parent.id, ...listAncestors(parent, site)] : [];
}
