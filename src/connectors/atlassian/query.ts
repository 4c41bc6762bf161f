import { toOneLine } from "../markup/markdown.ts";

/** Quotes a value for JQL or CQL, so that none of it can become an operator. */
export function quoteValue(value: string): string {
  return `"${toOneLine(value).replace(/\\/g, "\\\\").replace(/"/g, '\\"')}"`;
}

/** Removes the operators of Atlassian's text search, which would need separate escaping. */
export function withoutOperators(text: string): string {
  return toOneLine(text.replace(/[+\-&|!(){}[\]^~*?\\/:"']/g, " "));
}
