/**
 * Names of tools on the wires of model providers, which allow only letters, digits, `_` and `-` (OpenAI, Anthropic and Gemini function
 * names): `jira.close_issue` travels as `jira__close_issue`.
 */
export function toWireName(name: string): string {
  return name.replaceAll(".", "__");
}

/** The tool's own name again. */
export function fromWireName(wire: string): string {
  return wire.replaceAll("__", ".");
}
