/**
 * Corrects a tool name that a model spells in its own way: `functions.jira__search`, `default_api:jira__search`,
 * `mcp__kay__jira__search`, `jira__search<|channel|>commentary`, `jira_search`, or the name twice, as servers that send it
 * with each piece make it. A name that fits no tool, or more than one, stays as it is.
 */
export function correctToolName(given: string, names: string[]): string {
  if (names.includes(given)) return given;
  const parts = given.replace(/<\|.*$/s, "").split(/[^A-Za-z0-9]+/);
  for (let first = 0; first < Math.min(parts.length, MAX_PARTS); first++) {
    const letters = toLetters(parts.slice(first).join(""));
    const same = names.filter((name) => letters === toLetters(name) || letters === toLetters(name).repeat(2));
    if (same.length > 0) return same.length === 1 ? (same[0] as string) : given;
  }
  return given;
}

/** A longer name is no tool with something before it. */
const MAX_PARTS = 12;

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
