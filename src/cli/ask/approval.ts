import type { InteractionAnswer } from "#protocol/conversations";
import type { InteractionRequest } from "#protocol/events";
import { inputOf, isEditable } from "#ui/edited-input";
import { offeredScopes } from "#ui/scopes";
import { approvalText, fieldText } from "#ui/words";
import type { Kay } from "../kay.ts";
import { editFields } from "./edit.ts";
import { question, say } from "./question.ts";

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
  const editable = isEditable(request);
  const offered = offeredScopes(request);
  say(kay, `\n${approvalText(refused ? { ...request, error: refused.told } : request)}\n`);
  for (const { number, words } of offered) say(kay, `  ${number}  ${words}`);
  if (editable) say(kay, "  e  edit what is sent");
  say(kay, "  n  no, and say why");
  const choices = [...offered.map(({ number }) => number), ...(editable ? ["e"] : []), "n"];
  let edited = refused?.given.edited_args;
  if (edited) say(kay, `\nThis was to be sent instead:\n${shown(edited)}\n`);
  for (;;) {
    const typed = (await question(kay, `Your answer, ${choices.join("/")}: `, signal)).toLowerCase();
    const scope = offered.find(({ number }) => number === typed)?.scope;
    if (scope) return { action: "approve", approval_scope: scope, ...(edited ? { edited_args: edited } : {}) };
    if (typed === "n" || typed === "no") return denied(await question(kay, "Why (Enter for no reason): ", signal));
    if (typed !== "e" || !editable) continue;
    edited = await editFields(kay, edited ?? inputOf(request), signal);
    say(kay, `\nThis would be sent instead:\n${shown(edited)}\n`);
  }
}

function denied(reason: string): InteractionAnswer {
  return { action: "deny", ...(reason ? { reason } : {}) };
}

function shown(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => fieldText({ name, value }))
    .join("\n");
}
