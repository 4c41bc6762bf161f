import type { ApprovalScope, InteractionRequest } from "#protocol/events";
import { toLine } from "../text/words.ts";

/** One scope of approval: the number that chooses it, and the exact words of the approval. */
export type OfferedScope = { number: string; scope: ApprovalScope; words: string };

/** Returns the scopes that a request offers. Each scope always has the same number, so habits stay safe. */
export function listScopes({ approval_scopes }: InteractionRequest): OfferedScope[] {
  const offered = approval_scopes ?? [{ scope: "once" as const, words: "once" }];
  return NUMBERS.flatMap(([number, scope]) => {
    const found = offered.find((each) => each.scope === scope);
    return found ? [{ number, scope, words: formatScope(scope, toLine(found.words)) }] : [];
  });
}

const NUMBERS: [string, ApprovalScope][] = [
  ["1", "once"],
  ["2", "session"],
  ["3", "always"],
];

function formatScope(scope: ApprovalScope, words: string): string {
  const name = scope === "session" ? "this session" : scope;
  return scope === "once" || words.startsWith(name) ? words || name : `${name}: ${words}`;
}
