import { Problem } from "#protocol/errors";
import { line } from "#ui/words";

/** A fault as the transcript shows it: the sentence and the next step, a command of the session where it has one. */
export function faultText(error: unknown): string {
  if (!(error instanceof Problem))
    return `✗ Something in kay went wrong: ${error instanceof Error ? line(error.message) : "unknown"}`;
  return `✗ ${line(error.message)}${error.hint ? `\n  ${line(asSlash(error.hint))}` : ""}`;
}

/** `kay connect jira` is `/connect jira` here. */
function asSlash(hint: string): string {
  return hint.replace(
    /\bkay (connect|connections|disconnect|sessions|approvals|tools|policy|pending|model)\b(?: list\b)?/g,
    "/$1",
  );
}
