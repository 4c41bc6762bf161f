/**
 * Converts a tool name for model providers, which allow only letters, digits, `_` and `-` (OpenAI, Anthropic, Gemini):
 * `jira.close_issue` becomes `jira__close_issue`.
 */
export function toWireName(name: string): string {
  return name.replaceAll(".", "__");
}

/** Converts a wire name back to the tool's name. */
export function fromWireName(wire: string): string {
  return wire.replaceAll("__", ".");
}
