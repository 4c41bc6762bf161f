import { tryParseJson } from "#protocol/json";

/**
 * Corrects the arguments of a call that are not quite JSON: with marks of Markdown or XML around them, a brace too many,
 * the same object twice, trailing commas, line breaks in texts, or the literals of Python. A text that is cut, or that
 * has two different objects, stays as it is.
 *
 * @returns JSON text; integers that a number cannot hold are texts of their digits
 */
export function repairArguments(text: string): string {
  if (text.trim() === "") return text;
  const value = tryParseJson(text) ?? parseLoose(text);
  return value === undefined ? text : JSON.stringify(value);
}

/** Parses JSON with the errors that models make. Returns undefined unless the text has exactly one meaning. */
export function parseLoose(text: string): unknown {
  const values: unknown[] = [];
  let rest = text.replace(/^\s*```\w*|```\s*$/g, "").trimStart();
  while (/^[{[]/.test(rest)) {
    if (values.length > MAX_VALUES) return undefined;
    const { json, end } = readValue(rest);
    const value = json === undefined ? undefined : tryParseJson(json);
    if (value === undefined) return undefined;
    values.push(value);
    rest = rest.slice(end).trimStart();
  }
  if (!/^(?:[}\]`\s]|<\/?[\w|:]{1,40}>)*$/.test(rest)) return undefined;
  const nonEmpty = [...new Set(values.map((value) => JSON.stringify(value)))].filter(
    (json) => !/^(?:\{\}|\[\])$/.test(json),
  );
  if (nonEmpty.length > 1) return undefined;
  return nonEmpty[0] === undefined ? values[0] : JSON.parse(nonEmpty[0]);
}

/** Most values one after another. */
const MAX_VALUES = 4;

/** Reads one object or list at the start of a text. `json` is undefined if the text ends within it. */
function readValue(text: string): { json: string | undefined; end: number } {
  const tokens: string[] = [];
  let depth = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") {
      depth--;
      if (tokens.at(-1) === ",") tokens.pop();
    }
    if (token.trim() !== "") tokens.push(toJsonToken(token));
    if (depth === 0) return { json: tokens.join(""), end: TOKEN.lastIndex };
  }
  return { json: undefined, end: text.length };
}

/** A text in either quotes, a word or number, a mark, or white space. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|[\w.+-]+|[{}[\],:]|\s+/gy;

function toJsonToken(token: string): string {
  if (/^["']/.test(token)) return toJsonText(token);
  return WORDS.get(token) ?? token;
}

const WORDS = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["undefined", "null"],
  ["NaN", "null"],
]);

function toJsonText(quoted: string): string {
  const inner = quoted.slice(1, -1);
  // In JSON, a text has no line breaks, and no apostrophe is escaped.
  const escaped = quoted.startsWith("'")
    ? inner.replace(/\\'/g, "'").replace(/(\\[\s\S])|"/g, (_, escapeSequence) => escapeSequence ?? '\\"')
    : inner;
  return `"${escaped.replace(/[\n\r\t]/g, (mark) => JSON.stringify(mark).slice(1, -1))}"`;
}
