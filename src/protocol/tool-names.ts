/** Names of accounts, as in `jira@work`. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,18}[a-z0-9])?$/;

/** Returns whether a text can name a further account of a service. */
export function isAccountLabel(text: string): boolean {
  return LABEL.test(text);
}

/** Returns a name without its account: `jira` of `jira@work`, `jira.search` of `jira@work.search`. */
export function getBaseName(name: string): string {
  return name.replace(/@[^.]*/, "");
}

/**
 * Converts a tool name for model providers, which allow only letters, digits, `_` and `-` (OpenAI, Anthropic, Gemini):
 * `jira.close_issue` becomes `jira__close_issue`, and `jira@work.close_issue` becomes `jira_at_work__close_issue`. Names
 * of services have no `_`.
 */
export function toWireName(name: string): string {
  return name.replace("@", "_at_").replaceAll(".", "__");
}

/** Converts a wire name back to the tool's name. */
export function fromWireName(wire: string): string {
  return wire.replaceAll("__", ".").replace(/^([a-z0-9-]+)_at_([a-z0-9-]+)\./, "$1@$2.");
}
