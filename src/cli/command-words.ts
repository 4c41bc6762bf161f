/** The words of a command as EDITOR, BROWSER and PAGER name it: a program and its arguments, some in quotes. Nothing else of a shell counts. */
export function splitCommand(command: string): string[] {
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}
