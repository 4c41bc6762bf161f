import { parsePeriod } from "../../period.ts";
import { isOrdered } from "../../query/compare.ts";
import { QuerySyntaxError, toPosition } from "../../query/lexer.ts";
import {
  type Comparison,
  listComparisons,
  matchesCondition,
  type Operand,
  parseQuery,
  type Query,
  type Sorting,
} from "../../query/parser.ts";
import { containsWords } from "../../query/words.ts";
import type { Issue } from "../state.ts";
import { jiraError } from "./errors.ts";
import { findJqlField, getPriorityRank, isFieldFunction, type JqlContext, type JqlField } from "./jql-fields.ts";

const OPERATORS =
  "The valid operators are '=', '!=', '<', '>', '<=', '>=', '~', '!~', 'IN', 'NOT IN', 'IS' and 'IS NOT'.";
const DATES =
  "Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.";
const UNBOUNDED = "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.";
const DAY = 86_400_000;

/**
 * Finds the issues of a JQL query, in its order. Supports a useful part of JQL: names, text, dates, keys, AND/OR/NOT,
 * IN, IS EMPTY, currentUser() and the date functions, ORDER BY. Anything else is refused with Jira's sentences.
 * @throws ApiError
 */
export function runJql(jql: string, context: JqlContext): Issue[] {
  const query = parse(jql);
  if (query.condition === null) throw jiraError(400, [UNBOUNDED]);
  const problems = [
    ...listComparisons(query.condition).flatMap((comparison) => listProblems(comparison, context)),
    ...query.order.filter(({ field }) => !isSortable(field)).map(({ field }) => unknownField(field)),
  ];
  if (problems.length > 0) throw jiraError(400, [...new Set(problems)]);
  const issues = context.site.issues.filter((issue) =>
    matchesCondition(query.condition, (comparison) => holds(comparison, issue, context)),
  );
  return issues.sort((a, b) => compare(a, b, query.order, context));
}

function parse(jql: string): Query {
  try {
    return parseQuery(jql);
  } catch (error) {
    if (error instanceof QuerySyntaxError) throw jiraError(400, [toProblem(error, jql)]);
    throw error;
  }
}

/** Jira's own messages for invalid queries. */
function toProblem({ problem, token }: QuerySyntaxError, jql: string): string {
  const { line, character } = toPosition(jql, token.at);
  const where = `(line ${line}, character ${character})`;
  const isEnd = token.kind === "end";
  const quotedToken = `'${token.value}'`;
  if (problem === "quote")
    return `Error in the JQL Query: The quoted string ${quotedToken} has not been completed. ${where}`;
  if (problem === "value") {
    const expecting = "Error in JQL Query: Expecting either a value, list or function";
    return isEnd
      ? `${expecting} before the end of the query.`
      : `${expecting} but got ${quotedToken}. You must surround ${quotedToken} in quotation marks to use it as a value. ${where}`;
  }
  if (problem === "operator") {
    return `Error in the JQL Query: Expecting operator ${isEnd ? "before the end of the query" : `but got ${quotedToken}`}. ${OPERATORS}${isEnd ? "" : ` ${where}`}`;
  }
  const expected = { field: "a field name", and_or: "either 'OR' or 'AND'", close: "')'", order: "'BY'" }[problem];
  if (isEnd)
    return `Error in the JQL Query: Expecting ${expected} ${problem === "field" ? "at" : "before"} the end of the query.`;
  return `Error in the JQL Query: Expecting ${expected} but got ${quotedToken}. ${where}`;
}

function listProblems(comparison: Comparison, context: JqlContext): string[] {
  const { field: name, operator, operands } = comparison;
  const field = findJqlField(name);
  if (!field) return [unknownField(name)];
  if (!field.operators.includes(operator))
    return [`The operator '${operator.toLowerCase()}' is not supported by the '${name}' field.`];
  if (operator === "IS" || operator === "IS NOT") {
    const isEmpty = operands.every(({ kind }) => kind === "empty");
    return isEmpty
      ? []
      : [`The operator '${operator.toLowerCase()}' can only be used with EMPTY or NULL for the field '${name}'.`];
  }
  return operands.flatMap((operand) => checkOperand(operand, name, field, operator === "=", context));
}

function checkOperand(operand: Operand, name: string, field: JqlField, alone: boolean, context: JqlContext): string[] {
  if (operand.kind === "empty") return [];
  if (operand.kind === "function") {
    const isKnown =
      operand.name.toLowerCase() === "currentuser" ||
      isFieldFunction(operand.name) ||
      getTime(operand, context) !== undefined;
    if (!isKnown) return [`Unable to find JQL function '${operand.name}(${operand.args.join(", ")})'.`];
    const fits = getMeaning(operand, field, context) !== undefined;
    return fits ? [] : [`A value provided by the function '${operand.name}' is invalid for the field '${name}'.`];
  }
  if (field.kind === "date" && getMeaning(operand, field, context) === undefined)
    return [`Date value '${operand.text}' for field '${name}' is invalid. ${DATES}`];
  if (field.kind === "key") {
    return alone && getMeaning(operand, field, context) === undefined
      ? [`An issue with key '${operand.text}' does not exist for field '${name}'.`]
      : [];
  }
  if (getMeaning(operand, field, context) === undefined)
    return [`The value '${operand.text}' does not exist for the field '${name}'.`];
  return [];
}

/** Whether an issue fulfils one comparison. A negation never finds an empty field, as in Jira. */
function holds({ field: name, operator, operands }: Comparison, issue: Issue, context: JqlContext): boolean {
  const field = findJqlField(name);
  if (!field) return false;
  const issueValues = field.of(issue, context);
  const isEmpty = issueValues.length === 0;
  if (operator === "IS" || operator === "IS NOT") return isEmpty === (operator === "IS");
  const equal = operands.some((operand) =>
    operand.kind === "empty"
      ? isEmpty
      : issueValues.some((text) => isEqual(text, getMeaning(operand, field, context), field)),
  );
  if (operator === "=" || operator === "IN") return equal;
  if (operator === "!=" || operator === "NOT IN") return !isEmpty && !equal;
  const [operand] = operands;
  if (!operand || operand.kind === "empty" || isEmpty) return false;
  if (operator === "~" || operator === "!~") {
    const isMatch = operand.kind === "text" && issueValues.some((text) => containsWords(text, operand.text));
    return isMatch === (operator === "~");
  }
  const limit = getSize(getMeaning(operand, field, context) ?? "", field);
  return issueValues.some((text) => isOrdered(operator, getSize(text, field) - limit));
}

function isEqual(value: string, meaning: string | undefined, field: JqlField): boolean {
  if (meaning === undefined) return false;
  return field.kind === "date"
    ? Date.parse(value) === Date.parse(meaning)
    : value.toLowerCase() === meaning.toLowerCase();
}

/** Returns a value of the query in the field's canonical form; undefined if it is unknown. */
function getMeaning(operand: Operand, field: JqlField, context: JqlContext): string | undefined {
  if (operand.kind === "empty") return undefined;
  if (operand.kind === "function") {
    const name = operand.name.toLowerCase();
    if (field.kind === "date") return getTime(operand, context);
    if (field.functions?.includes(name)) return name;
    return name === "currentuser" && field.kind === "name" ? resolvePerson(field, context) : undefined;
  }
  if (field.kind === "text") return operand.text;
  return field.kind === "date" ? getDate(operand.text, context.now) : field.resolve?.(operand.text, context);
}

function resolvePerson(field: JqlField, context: JqlContext): string | undefined {
  return field.resolve?.(context.me, context) === context.me && field !== findJqlField("labels")
    ? context.me
    : undefined;
}

function getTime(operand: Operand & { kind: "function" }, { now }: JqlContext): string | undefined {
  const shift = operand.args[0] === undefined ? 0 : parsePeriod(operand.args[0]);
  const name = operand.name.toLowerCase();
  const match = /^(start|end)of(day|week|month|year)$/.exec(name);
  if (shift === undefined || (name !== "now" && !match)) return undefined;
  if (!match) return new Date(now + shift).toISOString();
  const day = new Date(now);
  const unit = match[2];
  const [year, month, date] = [
    day.getUTCFullYear(),
    unit === "year" ? 0 : day.getUTCMonth(),
    unit === "day" || unit === "week" ? day.getUTCDate() : 1,
  ];
  const start = Date.UTC(year, month, date) - (unit === "week" ? day.getUTCDay() * DAY : 0);
  const next =
    unit === "year"
      ? Date.UTC(year + 1, 0, 1)
      : unit === "month"
        ? Date.UTC(year, month + 1, 1)
        : start + (unit === "week" ? 7 : 1) * DAY;
  return new Date((match[1] === "start" ? start : next - 1) + shift).toISOString();
}

function getDate(text: string, now: number): string | undefined {
  const shift = parsePeriod(text);
  if (shift !== undefined) return new Date(now + shift).toISOString();
  const match = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:\s+(\d{1,2}):(\d{2}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString() : undefined;
}

function getSize(value: string, field: JqlField): number {
  if (field.kind === "date") return Date.parse(value);
  return field.kind === "key" ? Number(value.slice(value.lastIndexOf("-") + 1)) : getPriorityRank(value);
}

function compare(a: Issue, b: Issue, order: Sorting[], context: JqlContext): number {
  for (const { field: name, descending } of [...order, { field: "created", descending: true }]) {
    const field = findJqlField(name);
    if (!field) continue;
    const [left, right] = [a, b].map((issue) =>
      field.rank ? field.rank(issue, context) : (field.of(issue, context)[0] ?? "\uffff"),
    );
    const difference =
      typeof left === "number" && typeof right === "number"
        ? left - right
        : String(left).localeCompare(String(right), "en");
    if (difference !== 0) return descending ? -difference : difference;
  }
  return Number(b.id) - Number(a.id);
}

function isSortable(name: string): boolean {
  return name.toLowerCase() === "rank" || findJqlField(name) !== undefined;
}

function unknownField(name: string): string {
  return `Field '${name}' does not exist or you do not have permission to view it.`;
}
