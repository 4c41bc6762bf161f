import { REDACTED } from "#protocol/redact";

/** The API key of a model: the variable that holds it, and whether it is set. */
export type ModelKey = {
  variable: string;
  isSet: boolean;
  /** Removes the key, and what providers quote of it, from a text. */
  hide(text: string): string;
};

/** Returns the key of a provider, or undefined if it has none. The first variable that is set is used. */
export function findModelKey(variables: string[], env: Record<string, string | undefined>): ModelKey | undefined {
  const [first] = variables;
  if (first === undefined) return undefined;
  const variable = variables.find((name) => env[name]?.trim()) ?? first;
  const key = env[variable]?.trim() ?? "";
  return { variable, isSet: key !== "", hide: (text) => hideKey(text, key) };
}

/** Providers quote a refused key in whole or with stars in its middle. */
function hideKey(text: string, key: string): string {
  return text.replace(/\S+/g, (word) => (/\*{2,}/.test(word) || quotesKey(word, key) ? REDACTED : word));
}

function quotesKey(word: string, key: string): boolean {
  if (key.length < SHORTEST_KEY) return false;
  const length = Math.min(key.length, QUOTED_LENGTH);
  for (let start = 0; start + length <= Math.min(key.length, LONGEST_KEY); start++)
    if (word.includes(key.slice(start, start + length))) return true;
  return false;
}

/** A shorter one is a placeholder such as `none`, and part of ordinary words. */
const SHORTEST_KEY = 6;

const LONGEST_KEY = 1_000;

const QUOTED_LENGTH = 8;
