/**
 * Names of tools on the wires of model providers, which allow only letters, digits, `_` and `-` (OpenAI, Anthropic and Gemini function
 * names): `jira.close_issue` travels as `jira__close_issue`.
 */
export function wireName(name: string): string {
  return name.replaceAll(".", "__");
}

/** The tool's own name again. */
export function toolName(wire: string): string {
  return wire.replaceAll("__", ".");
}
