import type { InteractionAnswer } from "#protocol/conversations";
import { formatPreviewField } from "#protocol/input-fields";
import type { InteractionRequest } from "#protocol/interactions";
import { listScopes } from "#ui/cards/approval";
import {
  formatInput,
  getInput,
  INVALID_INPUT_TEXT,
  isEditable,
  parseInput,
  parseRetyped,
} from "#ui/cards/edited-input";
import { formatApproval, toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { promptKey, promptLine, writeNotice } from "../prompt/question.ts";

/**
 * Asks the user to approve a call: shows the whole call, then offers a scope, an edit, or a denial with a reason. Enter
 * alone never answers.
 * @param refused the previous answer, if the backend refused it, and why
 */
export async function promptApproval(
  kay: Kay,
  request: InteractionRequest,
  signal: AbortSignal,
  refused?: { message: string; answer: InteractionAnswer },
): Promise<InteractionAnswer> {
  const editable = isEditable(request);
  const offered = listScopes(request);
  writeNotice(kay, `\n${formatApproval(refused ? { ...request, error: refused.message } : request)}\n`);
  for (const { number, words } of offered) writeNotice(kay, `  ${number}  ${words}`);
  if (editable) writeNotice(kay, "  e  edit");
  writeNotice(kay, "  n  deny");
  const keys = [...offered.map(({ number }) => number), ...(editable ? ["e"] : []), "n"];
  const text = `Your answer, ${keys.join("/")}`;
  let edited = refused?.answer.edited_args;
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

/**
 * Lets the user change a call: as JSON in an editor if one is set, otherwise field by field.
 * @returns the whole input to send
 */
async function editInput(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  let text = formatInput(input);
  for (;;) {
    const edited = await kay.editText(text);
    if (edited === null) return editFields(kay, input, signal);
    const value = parseInput(edited);
    if (value) return value;
    writeNotice(kay, `✗ ${INVALID_INPUT_TEXT}`);
    const retry = await promptLine(kay, "Press Enter to edit it again, or k to keep the previous input: ", signal);
    if (retry.toLowerCase() === "k") return input;
    text = edited;
  }
}

async function editFields(
  kay: Kay,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  writeNotice(kay, "Type a new value, or press Enter to keep the one in brackets.");
  const edited: [string, unknown][] = [];
  for (const [name, value] of Object.entries(input)) {
    const old = typeof value === "string" ? value : JSON.stringify(value);
    edited.push([name, await promptValue(kay, name, value, old, signal)]);
  }
  return Object.fromEntries(edited);
}

/** A text stays a text; other values are edited as JSON. */
async function promptValue(kay: Kay, name: string, value: unknown, old: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const reply = await promptLine(kay, `  ${toLine(name)} [${toLine(old)}]: `, signal);
    if (reply === "") return value;
    const input = parseRetyped(value, reply);
    if ("value" in input) return input.value;
    writeNotice(kay, `  ✗ ${input.error}`);
  }
}
