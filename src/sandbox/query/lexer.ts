/** A piece of a query: a word, a quoted text, an operator or a bracket. `at` is its offset in the query. */
export type Token = { kind: "word" | "text" | "operator" | "end"; value: string; at: number };

/** An invalid query. `at` is the offset; each language words it like its service. */
export class QuerySyntaxError extends Error {
  readonly problem: "value" | "field" | "operator" | "and_or" | "close" | "quote" | "order";
  readonly token: Token;

  constructor(problem: QuerySyntaxError["problem"], token: Token) {
    super(`${problem} expected at ${token.at}`);
    this.name = "QuerySyntaxError";
    this.problem = problem;
    this.token = token;
  }
}

const PIECE =
  /\s+|"((?:\\[\s\S]|[^"\\])*)"|'((?:\\[\s\S]|[^'\\])*)'|(!=|!~|<=|>=|&&|\|\||[=<>~!(),&|])|([^\s"'=<>~!(),&|]+)/y;

/** Splits a query into tokens; the last one is `end`. Shared by JQL, CQL and Bitbucket's filters. */
export function tokenize(query: string): Token[] {
  const tokens: Token[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < query.length) {
    const offset = PIECE.lastIndex;
    const match = PIECE.exec(query);
    if (!match) throw new QuerySyntaxError("quote", { kind: "text", value: query.slice(offset + 1), at: offset });
    const [, double, single, operator, word] = match;
    const quoted = double ?? single;
    if (quoted !== undefined) tokens.push({ kind: "text", value: quoted.replace(/\\([\s\S])/g, "$1"), at: offset });
    else if (operator !== undefined) tokens.push({ kind: "operator", value: operator, at: offset });
    else if (word !== undefined) tokens.push({ kind: "word", value: word, at: offset });
  }
  tokens.push({ kind: "end", value: "", at: query.length });
  return tokens;
}

/** Converts an offset to line and column, both from 1. */
export function toPosition(query: string, offset: number): { line: number; character: number } {
  const linesBefore = query.slice(0, offset).split("\n");
  return { line: linesBefore.length, character: (linesBefore.at(-1)?.length ?? 0) + 1 };
}
