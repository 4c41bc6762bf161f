import { QuerySyntaxError, type Token, tokenize } from "./lexer.ts";

export type Operator = "=" | "!=" | "~" | "!~" | "<" | "<=" | ">" | ">=" | "IN" | "NOT IN" | "IS" | "IS NOT";

/** A value of a comparison: a text, a function call, or EMPTY. */
export type Operand =
  | { kind: "text"; text: string }
  | { kind: "function"; name: string; args: string[] }
  | { kind: "empty" };

/** Field, operator, and one or several values. */
export type Comparison = { kind: "comparison"; field: string; operator: Operator; operands: Operand[] };

export type Condition = Comparison | { kind: "and" | "or"; parts: Condition[] } | { kind: "not"; part: Condition };

export type Sorting = { field: string; descending: boolean };

/** `condition` is null for a query that restricts nothing. */
export type Query = { condition: Condition | null; order: Sorting[] };

const OPERATORS = new Set(["=", "!=", "~", "!~", "<", "<=", ">", ">="]);

/**
 * Parses the common grammar of JQL, CQL and Bitbucket's filters: comparisons joined by AND, OR and NOT with brackets,
 * and ORDER BY.
 *
 * @throws QuerySyntaxError
 */
export function parseQuery(query: string): Query {
  const cursor = getCursor(tokenize(query));
  const isOrderOnly = cursor.peek().kind === "end" || cursor.isWord("order");
  const condition = isOrderOnly ? null : parseOr(cursor);
  const order = cursor.takeWord("order") ? parseOrder(cursor) : [];
  if (cursor.peek().kind !== "end") throw new QuerySyntaxError("and_or", cursor.peek());
  return { condition, order };
}

/** Whether an item meets a condition, given `compare` for each comparison. */
export function matchesCondition(condition: Condition | null, compare: (comparison: Comparison) => boolean): boolean {
  if (condition === null) return true;
  if (condition.kind === "comparison") return compare(condition);
  if (condition.kind === "not") return !matchesCondition(condition.part, compare);
  const every = condition.kind === "and";
  return every
    ? condition.parts.every((part) => matchesCondition(part, compare))
    : condition.parts.some((part) => matchesCondition(part, compare));
}

/** Lists the comparisons in a condition, so that all can be validated first. */
export function listComparisons(condition: Condition | null): Comparison[] {
  if (condition === null) return [];
  if (condition.kind === "comparison") return [condition];
  return condition.kind === "not" ? listComparisons(condition.part) : condition.parts.flatMap(listComparisons);
}

type Cursor = ReturnType<typeof getCursor>;

function getCursor(list: Token[]) {
  let index = 0;
  const end = list.at(-1) as Token;
  const peek = () => list[index] ?? end;
  const isWord = (word: string) => peek().kind === "word" && peek().value.toLowerCase() === word;
  const isSign = (...signs: string[]) => peek().kind === "operator" && signs.includes(peek().value);
  const take = () => {
    const token = peek();
    index += 1;
    return token;
  };
  return {
    peek,
    take,
    isWord,
    isSign,
    takeWord: (word: string) => isWord(word) && Boolean(take()),
    takeSign: (...signs: string[]) => isSign(...signs) && Boolean(take()),
  };
}

function parseOr(cursor: Cursor): Condition {
  const parts = [parseAnd(cursor)];
  while (cursor.takeWord("or") || cursor.takeSign("||", "|")) parts.push(parseAnd(cursor));
  return parts.length === 1 ? (parts[0] as Condition) : { kind: "or", parts };
}

function parseAnd(cursor: Cursor): Condition {
  const parts = [parseNot(cursor)];
  while (cursor.takeWord("and") || cursor.takeSign("&&", "&")) parts.push(parseNot(cursor));
  return parts.length === 1 ? (parts[0] as Condition) : { kind: "and", parts };
}

function parseNot(cursor: Cursor): Condition {
  if (cursor.takeWord("not") || cursor.takeSign("!")) return { kind: "not", part: parseNot(cursor) };
  if (!cursor.takeSign("(")) return parseComparison(cursor);
  const inner = parseOr(cursor);
  if (!cursor.takeSign(")")) throw new QuerySyntaxError("close", cursor.peek());
  return inner;
}

function parseComparison(cursor: Cursor): Condition {
  const field = cursor.peek();
  if (field.kind !== "word" && field.kind !== "text") throw new QuerySyntaxError("field", field);
  cursor.take();
  const operator = parseOperator(cursor);
  const isList = operator === "IN" || operator === "NOT IN";
  return {
    kind: "comparison",
    field: field.value,
    operator,
    operands: isList ? parseList(cursor) : [parseOperand(cursor)],
  };
}

function parseOperator(cursor: Cursor): Operator {
  const token = cursor.peek();
  if (token.kind === "operator" && OPERATORS.has(token.value)) return cursor.take().value as Operator;
  if (cursor.takeWord("in")) return "IN";
  if (cursor.takeWord("is")) return cursor.takeWord("not") ? "IS NOT" : "IS";
  if (cursor.takeWord("not") && cursor.takeWord("in")) return "NOT IN";
  throw new QuerySyntaxError("operator", token);
}

function parseList(cursor: Cursor): Operand[] {
  if (!cursor.takeSign("(")) return [parseOperand(cursor)];
  const operands = [parseOperand(cursor)];
  while (cursor.takeSign(",")) operands.push(parseOperand(cursor));
  if (!cursor.takeSign(")")) throw new QuerySyntaxError("close", cursor.peek());
  return operands;
}

function parseOperand(cursor: Cursor): Operand {
  const token = cursor.peek();
  if (token.kind === "end" || token.kind === "operator") throw new QuerySyntaxError("value", token);
  cursor.take();
  if (token.kind === "text") return { kind: "text", text: token.value };
  if (/^(empty|null)$/i.test(token.value)) return { kind: "empty" };
  if (!cursor.takeSign("(")) return { kind: "text", text: token.value };
  const args: string[] = [];
  while (!cursor.takeSign(")")) {
    if (cursor.peek().kind === "end") throw new QuerySyntaxError("close", cursor.peek());
    const argument = cursor.take();
    if (argument.kind !== "operator") args.push(argument.value);
  }
  return { kind: "function", name: token.value, args };
}

function parseOrder(cursor: Cursor): Sorting[] {
  if (!cursor.takeWord("by")) throw new QuerySyntaxError("order", cursor.peek());
  const order: Sorting[] = [];
  do {
    const field = cursor.peek();
    if (field.kind !== "word" && field.kind !== "text") throw new QuerySyntaxError("field", field);
    cursor.take();
    const descending = cursor.takeWord("desc");
    if (!descending) cursor.takeWord("asc");
    order.push({ field: field.value, descending });
  } while (cursor.takeSign(","));
  return order;
}
