import type { InteractionAnswer } from "#protocol/conversations";
import { formatPreviewField } from "#protocol/input-fields";
import type { InteractionRequest } from "#protocol/interactions";
import { listScopes } from "#ui/cards/approval";
import { getInput, isEditable } from "#ui/cards/edited-input";
import { formatApproval } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { promptKey, promptLine, writeNotice } from "../prompt/question.ts";
import { editInput } from "./edit.ts";

/**
 * Asks the user to approve a call: shows the whole call, then offers a scope, an edit, or a denial with a reason. Enter
 * alone never answers.
 * @param refused the previous answer, if the backend refused it, and why
 */
export async function promptApproval(
  kay: Kay,
  request: InteractionRequest,
  signal: AbortSignal,
  refused?: { told: string; given: InteractionAnswer },
): Promise<InteractionAnswer> {
  const editable = isEditable(request);
  const offered = listScopes(request);
  writeNotice(kay, `\n${formatApproval(refused ? { ...request, error: refused.told } : request)}\n`);
  for (const { number, words } of offered) writeNotice(kay, `  ${number}  ${words}`);
  if (editable) writeNotice(kay, "  e  edit");
  writeNotice(kay, "  n  deny");
  const keys = [...offered.map(({ number }) => number), ...(editable ? ["e"] : []), "n"];
  const text = `Your answer, ${keys.join("/")}`;
  let edited = refused?.given.edited_args;
  if (edited) writeNotice(kay, `\nYou had edited the request to:\n${formatEditedInput(edited)}\n`);
  for (;;) {
    const reply = await promptKey(kay, { text, keys, until: request.expires_at }, signal);
    const scope = offered.find(({ number }) => number === reply)?.scope;
    if (scope) return { action: "approve", approval_scope: scope, ...(edited ? { edited_args: edited } : {}) };
    if (reply === "n") return deny(await promptLine(kay, "Reason (optional): ", signal));
    edited = await editInput(kay, edited ?? getInput(request), signal);
    writeNotice(kay, `\nEdited request:\n${formatEditedInput(edited)}\n`);
  }
}

function deny(reason: string): InteractionAnswer {
  return { action: "deny", ...(reason ? { reason } : {}) };
}

/** Formats the input of a call that the user changed. */
export function formatEditedInput(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => formatPreviewField({ name, value }))
    .join("\n");
}
