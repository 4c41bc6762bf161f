/** A formula of Airtable as a tree (support.airtable.com/docs/formula-field-reference). */
export type Formula =
  | { kind: "value"; value: string | number }
  | { kind: "field"; name: string }
  | { kind: "call"; name: string; inputs: Formula[] }
  | { kind: "operator"; operator: string; left: Formula; right: Formula };

/** A formula that cannot be read; the message is the reason. */
export class FormulaError extends Error {}

type Token = { kind: "text" | "number" | "field" | "word" | "sign"; text: string };

/** Parses a formula. @throws FormulaError */
export function parseFormula(text: string): Formula {
  const tokens = lex(text);
  let offset = 0;
  const take = (sign: string) => {
    if (tokens[offset]?.kind !== "sign" || tokens[offset]?.text !== sign) return false;
    offset++;
    return true;
  };
  const parseBinary = (level: number): Formula => {
    const signs = LEVELS[level];
    if (!signs) return parsePrimary();
    let left = parseBinary(level + 1);
    for (let token = tokens[offset]; token?.kind === "sign" && signs.includes(token.text); token = tokens[offset]) {
      offset++;
      left = { kind: "operator", operator: token.text, left, right: parseBinary(level + 1) };
    }
    return left;
  };
  const parsePrimary = (): Formula => {
    const token = tokens[offset++];
    if (!token) throw new FormulaError("it ends too early");
    if (token.kind === "text") return { kind: "value", value: token.text };
    if (token.kind === "number") return { kind: "value", value: Number(token.text) };
    if (token.kind === "field") return { kind: "field", name: token.text };
    if (token.kind === "word") return take("(") ? call(token.text) : { kind: "field", name: token.text };
    if (token.text === "-")
      return { kind: "operator", operator: "-", left: { kind: "value", value: 0 }, right: parsePrimary() };
    if (token.text !== "(") throw new FormulaError(`"${token.text}" stands at the wrong place`);
    const inner = parseBinary(0);
    if (!take(")")) throw new FormulaError("a bracket is not closed");
    return inner;
  };
  const call = (name: string): Formula => {
    const inputs: Formula[] = [];
    if (!take(")")) {
      do inputs.push(parseBinary(0));
      while (take(","));
      if (!take(")")) throw new FormulaError("a bracket is not closed");
    }
    return { kind: "call", name: name.toUpperCase(), inputs };
  };
  const formula = parseBinary(0);
  if (offset < tokens.length) throw new FormulaError(`"${tokens[offset]?.text}" stands at the wrong place`);
  return formula;
}

/** Operators by precedence, the lowest first. */
const LEVELS = [["=", "!=", "<", ">", "<=", ">="], ["&"], ["+", "-"], ["*", "/"]];

const TOKEN =
  /\s*(?:"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'|\{((?:[^}\\]|\\[\s\S])*)\}|(\d+(?:\.\d+)?)|([A-Za-z_][A-Za-z0-9_]*)|(!=|<=|>=|[=<>&+\-*/(),]))/y;

function lex(text: string): Token[] {
  const tokens: Token[] = [];
  const source = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match) throw new FormulaError(`"${source.slice(from, from + 10)}" cannot be read`);
    const [, double, single, field, number, word, sign] = match;
    const quoted = double ?? single;
    if (quoted !== undefined) tokens.push({ kind: "text", text: unescapeString(quoted) });
    else if (field !== undefined) tokens.push({ kind: "field", text: unescapeString(field) });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (word !== undefined) tokens.push({ kind: "word", text: word });
    else tokens.push({ kind: "sign", text: sign ?? "" });
  }
  return tokens;
}

function unescapeString(text: string): string {
  const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t" };
  return text.replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character);
}
