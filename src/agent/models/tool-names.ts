/**
 * Corrects a tool name that an open model spells in its own way: `functions.jira__search`, `default_api:jira__search`,
 * `jira__search<|channel|>commentary`, `jira_search`. A name that fits no tool, or more than one, stays as it is.
 */
export function correctToolName(given: string, names: string[]): string {
  if (names.includes(given)) return given;
  const bare = given.replace(/<\|.*$/s, "").replace(/^.*:|^\s*(?:functions|tools|default_api)\./s, "");
  const same = names.filter((name) => toLetters(name) === toLetters(bare));
  return same.length === 1 ? (same[0] as string) : given;
}

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
