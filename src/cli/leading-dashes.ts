import type { Command } from "commander";

/**
 * Protects a text with a space that begins with a dash ("- summarise this"), which is not an option. A NUL, which no
 * argv can hold, marks it for the parser; `unprotect` removes it.
 */
export function escapeLeadingDash(argument: string): string {
  return /^-[^=]*\s/.test(argument) ? `\0${argument}` : argument;
}

/** Take the marks of `protectText` off what a command was called with: its arguments, and the values of its options. */
export function unescapeArguments(command: Command): void {
  command.processedArgs = command.processedArgs.map(bare);
  for (const [name, value] of Object.entries(command.opts()))
    command.setOptionValueWithSource(name, bare(value), command.getOptionValueSource(name));
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  return typeof value === "string" && value.startsWith("\0") ? value.slice(1) : value;
}
