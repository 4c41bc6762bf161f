import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";

/** Formats an error for the transcript: its message and the next step, as a session command if there is one. Canceling is not an error. */
export function formatFault(error: unknown): string {
  if (!(error instanceof Problem))
    return `✗ Something went wrong inside kay: ${error instanceof Error ? toLine(error.message) : "unknown"}`;
  if (error.code === "CANCELLED") return toLine(error.message);
  return `✗ ${toLine(error.message)}${error.hint ? `\n  ${toLine(toSlashCommands(error.hint))}` : ""}`;
}

/** Converts `kay connect jira` to `/connect jira`. */
function toSlashCommands(hint: string): string {
  return hint.replace(
    /\bkay (connect|connections|disconnect|sessions|approvals|tools|policy|pending|model)\b(?: list\b)?/g,
    "/$1",
  );
}
