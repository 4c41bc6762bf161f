import type { InteractionAnswer } from "#protocol/conversations";
import type { ApprovalScope, InteractionRequest } from "#protocol/events";
import { approvalText, fieldText, line } from "#ui/words";
import type { Kay } from "../kay.ts";
import { editFields } from "./edit.ts";
import { question, say } from "./question.ts";

/** Numbers of the scopes, always the same, so that no habit meets another meaning. */
const NUMBERS: Record<string, ApprovalScope> = { "1": "once", "2": "session", "3": "always" };

/**
 * Ask a person to approve a call: all of it is shown, then one of the offered scopes, an edit, or a no with its reason. There is no answer
 * that Enter alone gives.
 *
 * @param refused the answer before, where the backend refused it, and why
 */
export async function askApproval(
  kay: Kay,
  request: InteractionRequest,
  signal: AbortSignal,
  refused?: { told: string; given: InteractionAnswer },
): Promise<InteractionAnswer> {
  const editable = request.editable === true && (request.preview?.fields.length ?? 0) > 0;
  const offered = offeredScopes(request);
  say(kay, `\n${approvalText(refused ? { ...request, error: refused.told } : request)}\n`);
  for (const [number, { words }] of offered) say(kay, `  ${number}  ${words}`);
  if (editable) say(kay, "  e  edit what is sent");
  say(kay, "  n  no, and say why");
  const choices = [...offered.map(([number]) => number), ...(editable ? ["e"] : []), "n"];
  let edited = refused?.given.edited_args;
  if (edited) say(kay, `\nThis was to be sent instead:\n${shown(edited)}\n`);
  for (;;) {
    const typed = (await question(kay, `Your answer, ${choices.join("/")}: `, signal)).toLowerCase();
    const scope = offered.find(([number]) => number === typed)?.[1].scope;
    if (scope) return { action: "approve", approval_scope: scope, ...(edited ? { edited_args: edited } : {}) };
    if (typed === "n" || typed === "no") return denied(await question(kay, "Why (Enter for no reason): ", signal));
    if (typed !== "e" || !editable) continue;
    const fields = Object.entries(edited ?? fieldsOf(request));
    edited = await editFields(kay, Object.fromEntries(fields), signal);
    say(kay, `\nThis would be sent instead:\n${shown(edited)}\n`);
  }
}

/** Scopes as they are offered: number, scope, and the exact words of the grant. */
function offeredScopes({ approval_scopes }: InteractionRequest): [string, { scope: ApprovalScope; words: string }][] {
  const offered = approval_scopes ?? [{ scope: "once" as const, words: "once" }];
  return Object.entries(NUMBERS).flatMap(([number, scope]) => {
    const found = offered.find((each) => each.scope === scope);
    return found ? [[number, { scope, words: wordsOf(scope, line(found.words)) }]] : [];
  });
}

function wordsOf(scope: ApprovalScope, words: string): string {
  const name = scope === "session" ? "this session" : scope;
  return scope === "once" || words.startsWith(name) ? words || name : `${name}: ${words}`;
}

function denied(reason: string): InteractionAnswer {
  return { action: "deny", ...(reason ? { reason } : {}) };
}

function fieldsOf({ preview }: InteractionRequest): Record<string, unknown> {
  return Object.fromEntries((preview?.fields ?? []).map(({ name, value }) => [name, value]));
}

function shown(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => fieldText({ name, value }))
    .join("\n");
}
