/**
 * A text with a space that begins with a dash ("- summarise this") is no option (case C09). A NUL, which no argv can hold, marks it for
 * the parser; `unprotect` takes it off again.
 */
export function protectText(argument: string): string {
  return /^-[^=]*\s/.test(argument) ? `\0${argument}` : argument;
}

/** Take the mark of `protectText` off. */
export function unprotect(argument: string): string {
  return argument.startsWith("\0") ? argument.slice(1) : argument;
}

/** What the parser found wrong. */
function wordUsage(error: CommanderError, kay: Kay, command?: string): number {
  if (error.exitCode === 0) return 0;
  const isGroup = error.code === "commander.help";
  if (isGroup && !kay.flags.json) return 0;
  const message = isGroup ? "a command is missing" : error.message.replace(/^error: /, "").replaceAll("\0", "");
  const [sentence = message, suggestion] = clean(message).split("\n");
  const dash =
    command === "ask" && error.code === "commander.unknownOption" ? " Text that begins with a dash goes after --." : "";
  const hint = suggestion ? suggestion.replace(/^\(|\)$/g, "") : `Run \`kay help${command ? ` ${command}` : ""}\`.`;
  const words = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`.replace(/\.\.$/, ".");
  kay.out.fail(new Problem("USAGE", words, { hint: hint + dash }));
  return ERRORS.USAGE.exit;
}
