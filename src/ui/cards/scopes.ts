import type { ApprovalScope, InteractionRequest } from "#protocol/events";
import { toLine } from "../text/words.ts";

/** One way to say yes: the number that chooses it, and the exact words of the grant. */
export type OfferedScope = { number: string; scope: ApprovalScope; words: string };

/** The scopes that a request offers. Numbers are always the same, so that no habit meets another meaning. */
export function listScopes({ approval_scopes }: InteractionRequest): OfferedScope[] {
  const offered = approval_scopes ?? [{ scope: "once" as const, words: "once" }];
  return NUMBERS.flatMap(([number, scope]) => {
    const found = offered.find((each) => each.scope === scope);
    return found ? [{ number, scope, words: getWords(scope, toLine(found.words)) }] : [];
  });
}

const NUMBERS: [string, ApprovalScope][] = [
  ["1", "once"],
  ["2", "session"],
  ["3", "always"],
];

function getWords(scope: ApprovalScope, words: string): string {
  const name = scope === "session" ? "this session" : scope;
  return scope === "once" || words.startsWith(name) ? words || name : `${name}: ${words}`;
}
