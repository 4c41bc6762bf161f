import { parseObjectList } from "../api.ts";
import { compareValues } from "../query/compare.ts";
import { badRequestError, invalidInputError } from "./errors.ts";
import { OBJECT_TYPES } from "./properties.ts";
import type { CrmRecord, ObjectType } from "./state.ts";
import { listProperties } from "./views.ts";

/** Limits of one search. Source: https://developers.hubspot.com/docs/api-reference/search/guide */
const LIMITS = { groups: 5, filters: 6, page: 200, query: 3_000, total: 10_000 };

type Filter = { propertyName?: unknown; operator?: unknown; value?: unknown; highValue?: unknown; values?: unknown };

/** Finds the records of a search in order, and the bounds of the requested page. @throws ApiError */
export function searchRecords(
  records: CrmRecord[],
  type: ObjectType,
  body: Record<string, unknown>,
): { matches: CrmRecord[]; start: number; limit: number } {
  const limit = body.limit === undefined ? 10 : Number(body.limit);
  const start = body.after === undefined || body.after === "" ? 0 : Number(body.after);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.page) {
    throw badRequestError(`The page size must be between 1 and ${LIMITS.page}.`);
  }
  if (!Number.isInteger(start) || start < 0 || start + limit > LIMITS.total) {
    throw badRequestError("The after parameter must be a number below 10000.");
  }
  const groups = getGroups(body.filterGroups);
  const words = getWords(body.query);
  const matches = records.filter(
    (record) =>
      matchesWords(record, type, words) &&
      (groups.length === 0 || groups.some((filters) => filters.every((filter) => holds(filter, record, type)))),
  );
  return { matches: sort(matches, type, body.sorts), start, limit };
}

function getGroups(value: unknown): Filter[][] {
  const groups = parseObjectList(value, invalidInputError);
  if (groups.length > LIMITS.groups) throw badRequestError(`There may be at most ${LIMITS.groups} filter groups.`);
  return groups.map((group) => {
    const filters: Filter[] = parseObjectList(group.filters, invalidInputError);
    if (filters.length > LIMITS.filters)
      throw badRequestError(`There may be at most ${LIMITS.filters} filters in a group.`);
    return filters;
  });
}

function getWords(query: unknown): string[] {
  const text = typeof query === "string" ? query : "";
  if (text.length > LIMITS.query) throw badRequestError(`The query may have at most ${LIMITS.query} characters.`);
  return splitTokens(text);
}

/** Each word must be the start of a word in a searched property. */
function matchesWords(record: CrmRecord, type: ObjectType, words: string[]): boolean {
  const properties = listProperties(record, type);
  const knownTokens = OBJECT_TYPES[type].searched.flatMap((name) => splitTokens(properties[name] ?? ""));
  return words.every((word) => knownTokens.some((token) => token.startsWith(word)));
}

function holds(filter: Filter, record: CrmRecord, type: ObjectType): boolean {
  const name = String(filter.propertyName ?? "");
  const properties = listProperties(record, type);
  if (!Object.hasOwn(properties, name) && !OBJECT_TYPES[type].writable.includes(name)) {
    throw badRequestError(`There was a problem with the request. Property ${name} does not exist.`);
  }
  const propertyValue = properties[name] ?? "";
  const value = String(filter.value ?? "");
  const values = (Array.isArray(filter.values) ? filter.values : []).map(String);
  switch (filter.operator) {
    case "EQ":
      return isSame(propertyValue, value);
    case "NEQ":
      return !isSame(propertyValue, value);
    case "IN":
      return values.some((value) => isSame(propertyValue, value));
    case "NOT_IN":
      return propertyValue !== "" && !values.some((value) => isSame(propertyValue, value));
    case "HAS_PROPERTY":
      return propertyValue !== "";
    case "NOT_HAS_PROPERTY":
      return propertyValue === "";
    case "CONTAINS_TOKEN":
      return contains(propertyValue, value);
    case "NOT_CONTAINS_TOKEN":
      return !contains(propertyValue, value);
    case "LT":
      return propertyValue !== "" && compareValues(propertyValue, value) < 0;
    case "LTE":
      return propertyValue !== "" && compareValues(propertyValue, value) <= 0;
    case "GT":
      return propertyValue !== "" && compareValues(propertyValue, value) > 0;
    case "GTE":
      return propertyValue !== "" && compareValues(propertyValue, value) >= 0;
    case "BETWEEN":
      return (
        propertyValue !== "" &&
        compareValues(propertyValue, value) >= 0 &&
        compareValues(propertyValue, String(filter.highValue ?? "")) <= 0
      );
    default:
      throw badRequestError(`Invalid input JSON: unknown operator ${String(filter.operator)}`);
  }
}

function sort(records: CrmRecord[], type: ObjectType, sorts: unknown): CrmRecord[] {
  const { name = OBJECT_TYPES[type].created, direction } = getSort(Array.isArray(sorts) ? sorts[0] : undefined);
  const getSortKey = (record: CrmRecord) => listProperties(record, type)[name] ?? "";
  return [...records].sort((a, b) => direction * compareValues(getSortKey(a), getSortKey(b)));
}

/** A sort is an object, or a name with a leading `-` for descending order. */
function getSort(sort: unknown): { name?: string; direction: 1 | -1 } {
  if (typeof sort === "string") return { name: sort.replace(/^-/, ""), direction: sort.startsWith("-") ? -1 : 1 };
  const { propertyName, direction } = (sort ?? {}) as { propertyName?: string; direction?: string };
  return { name: propertyName, direction: direction === "DESCENDING" ? -1 : 1 };
}

/** Matches whole words, or parts with `*` at an end; all words of the value must match. */
function contains(text: string, value: string): boolean {
  const knownTokens = splitTokens(text);
  return value
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((word) => {
      const fragment = word.replace(/^\*|\*$/g, "");
      if (fragment !== word) return text.toLowerCase().includes(fragment);
      return splitTokens(word).every((token) => knownTokens.includes(token));
    });
}

function splitTokens(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
