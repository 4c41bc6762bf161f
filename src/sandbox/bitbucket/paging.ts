import type { Context } from "hono";
import { compareValues, isOrdered } from "../query/compare.ts";
import { QuerySyntaxError } from "../query/lexer.ts";
import { type Comparison, matchesCondition, type Operand, parseQuery } from "../query/parser.ts";
import type { BitbucketEnv } from "./access.ts";
import { bitbucketError } from "./errors.ts";

type Thing = Record<string, unknown>;

/**
 * Returns a page of a list: `page`, `pagelen` (10, at most `maximum`), `size`, and absolute `next` and `previous` URLs
 * on the requested origin with all other parameters (developer.atlassian.com/cloud/bitbucket/rest/intro, "Pagination").
 */
export function paginate(c: Context<BitbucketEnv>, items: Thing[], maximum = 100) {
  const [page, pagelen] = [
    readWholeNumber(c, "page", 1, "Invalid page"),
    readWholeNumber(c, "pagelen", 10, "Invalid pagelen"),
  ];
  if (pagelen > maximum) throw bitbucketError(400, "Invalid pagelen");
  const matches = sort(filter(items, c.req.query("q")), c.req.query("sort"));
  const start = (page - 1) * pagelen;
  if (page > 1 && start >= matches.length) throw bitbucketError(404, "Invalid page");
  const getPageUrl = (number: number) => {
    const url = new URL(c.req.url);
    url.searchParams.set("page", String(number));
    return url.href;
  };
  return c.json({
    values: matches.slice(start, start + pagelen),
    pagelen,
    size: matches.length,
    page,
    ...(start + pagelen < matches.length ? { next: getPageUrl(page + 1) } : {}),
    ...(page > 1 ? { previous: getPageUrl(page - 1) } : {}),
  });
}

/** Bitbucket's filter language: comparisons of dotted paths, joined by AND and OR. */
function filter(items: Thing[], q: string | undefined): Thing[] {
  if (q === undefined || q.trim() === "") return items;
  try {
    const { condition } = parseQuery(q);
    return items.filter((item) => matchesCondition(condition, (comparison) => holds(comparison, item)));
  } catch (error) {
    if (error instanceof QuerySyntaxError) throw bitbucketError(400, `Invalid query: ${q}`);
    throw error;
  }
}

function sort(items: Thing[], sort: string | undefined): Thing[] {
  if (sort === undefined || sort === "") return items;
  const [name, direction] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const getSortKey = (item: Thing) => readPath(item, name);
  return [...items].sort((a, b) => direction * compareValues(getSortKey(a), getSortKey(b)));
}

function holds({ field, operator, operands }: Comparison, item: Thing): boolean {
  const value = readPath(item, field);
  const values = operands.map(getMeaning);
  const [first] = values;
  const text = String(value ?? "").toLowerCase();
  const equal = values.some((term) =>
    term === null ? value === null || value === undefined : text === term.toLowerCase(),
  );
  if (operator === "~" || operator === "!~")
    return text.includes(String(first ?? "").toLowerCase()) === (operator === "~");
  if (operator === "=" || operator === "IN" || operator === "IS") return equal;
  if (operator === "!=" || operator === "NOT IN" || operator === "IS NOT") return !equal;
  return isOrdered(operator, compareValues(value, first));
}

function getMeaning(operand: Operand): string | null {
  if (operand.kind === "empty") return null;
  return operand.kind === "text" ? operand.text : operand.name;
}

function readPath(item: Thing, path: string): unknown {
  let value: unknown = item;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      throw bitbucketError(400, `Invalid field name: ${path}`);
    }
    value = (value as Thing)[name];
  }
  return value;
}

function readWholeNumber(c: Context, name: string, fallback: number, sentence: string): number {
  const value = Number(c.req.query(name) ?? fallback);
  if (!Number.isInteger(value) || value < 1) throw bitbucketError(400, sentence);
  return value;
}
