import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/interactions";
import { createCardUi, rejectAnswer } from "#ui/cards/update-card";
import { formatCardLine } from "#ui/text/item";
import { formatCard, formatEnd, listMissingServices, toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { askOnCard } from "../prompt/card.ts";
import { writeNotice } from "../prompt/question.ts";
import { formatEditedInput, promptApproval } from "./approval.ts";
import type { AuthCard, OpenCard } from "./auth.ts";
import { connectMissing } from "./auth.ts";
import { formatFilledForm, promptForm } from "./form.ts";

/** Abort reason of a prompt whose generation can no longer be followed. */
export const ABANDONED = "abandoned";

/** The conversation of a card, and the ID or name of the client that answers. */
export type AnswerTarget = { session: string; client: string };

/**
 * Prompts for a card and sends the answer. If it was answered elsewhere or has ended, reports the effective answer and
 * sends nothing.
 *
 * @throws Problem CANCELLED, INPUT_REQUIRED
 */
export async function promptForCard(
  kay: Kay,
  link: BackendHandle,
  openCard: OpenCard,
  target: AnswerTarget,
  position = { n: 1, of: 1 },
): Promise<void> {
  try {
    if (openCard.card().type === "auth")
      await connectMissing(kay, link, openCard as OpenCard<AuthCard>, (card) => declineAuth(link, card, target));
    else if (kay.flags.plain) await answerInLines(kay, link, openCard, target);
    else await answerOnCard(kay, link, openCard, { target, position });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED" || openCard.signal.reason === ABANDONED)
      throw error;
    writeNotice(kay, formatClosedCard(openCard.card(), error));
  }
}

/** Sends an answer. @throws Problem INTERACTION_CLOSED with the effective answer */
export async function sendAnswer(
  link: BackendHandle,
  card: CardItem,
  answer: InteractionAnswer,
  { session, client }: AnswerTarget,
): Promise<InteractionResponse> {
  try {
    return await link.api.answerInteraction(session, card.id, { ...answer, client });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    throw new Problem(error.code, formatClosedCard(card, error), { details: error.details, hint: error.hint });
  }
}

/**
 * Declines to connect the missing services: cancels the request, or continues without them with `go_on`.
 *
 * @throws Problem INTERACTION_CLOSED with the effective answer
 */
export async function declineAuth(
  link: BackendHandle,
  card: AuthCard,
  { client, go_on = false }: { client: string; go_on?: boolean },
): Promise<void> {
  const [integration] = listMissingServices(card.auth);
  if (integration === undefined) return;
  try {
    await link.api.answerAuth(card.auth.generation_id, {
      integration,
      success: false,
      client,
      ...(go_on ? { go_on } : {}),
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    throw new Problem(error.code, formatClosedCard(card, error), { details: error.details, hint: error.hint });
  }
}

/** Prompts on the card until the backend accepts the answer, then prints the question and the answer. */
async function answerOnCard(
  kay: Kay,
  link: BackendHandle,
  { card, signal }: OpenCard,
  { target, position }: { target: AnswerTarget; position: { n: number; of: number } },
): Promise<void> {
  const item = card();
  let ui = createCardUi(item);
  const visit = (mode: "open" | "copy") => visitLink(kay, item, mode);
  const extend = (ids: string[]) => extendRequests(link, target, ids);
  try {
    for (;;) {
      const answered = await askOnCard(kay, { card, ui, position, signal, visit, extend });
      if (answered === "next" || answered.act.do !== "answer") return;
      const { answer } = answered.act;
      try {
        await sendAnswer(link, card(), answer, target);
        return writeNotice(kay, formatAnsweredCard(item, answer));
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== "INVALID_REQUEST") throw error;
        ui = rejectAnswer(answered.ui, error.message);
      }
    }
  } catch (error) {
    if (error instanceof Problem && error.code === "INTERACTION_CLOSED") writeNotice(kay, `\n${formatCard(item)}`);
    throw error;
  }
}

/** Requests more time while the user types. If that fails, the request expires as before. */
export function extendRequests({ api }: BackendHandle, { session }: AnswerTarget, ids: string[]): void {
  for (const id of ids) api.extendInteraction(session, id).catch(() => {});
}

/** Formats a card with its edits and its answer, as they stay on the terminal. */
export function formatAnsweredCard(card: CardItem, answer: InteractionAnswer): string {
  const { action, approval_scope: scope, edited_args: edited, reason } = answer;
  const end = { action, ...(scope ? { scope } : {}), edited: Boolean(edited), ...(reason ? { reason } : {}) };
  const change = edited ? [`Edited request:\n${formatEditedInput(edited)}`] : [];
  const fields = card.type === "form" ? (card.request.input_schema?.fields ?? []) : [];
  const answers = answer.input && fields.length > 0 ? [`Your answers:\n${formatFilledForm(fields, answer.input)}`] : [];
  const row = formatCardLine({ ...card, ended: end }, Number.POSITIVE_INFINITY);
  return [`\n${formatCard(card)}`, ...change, ...answers, `\n${row}`].join("\n");
}

async function visitLink(kay: Kay, card: CardItem, mode: "open" | "copy"): Promise<void> {
  const url = card.type === "auth" ? undefined : card.request.link;
  if (url === undefined) return;
  if (mode === "copy") return void (await kay.copy("the link", url, kay.terminal.stderr.write));
  const plan = await kay.planBrowser(url);
  const problem = "reason" in plan ? plan.reason : (await kay.openBrowser(plan)) ? null : "Could not open a browser.";
  if (problem !== null) throw new Problem("USAGE", `${problem} Open the link yourself.`);
}

/** The backend may refuse an invalid edit or form. Then it is asked again, with the previous values. */
async function answerInLines(
  kay: Kay,
  link: BackendHandle,
  { card, signal }: OpenCard,
  target: AnswerTarget,
): Promise<void> {
  let refused: { message: string; answer: InteractionAnswer } | undefined;
  for (;;) {
    const open = card();
    if (open.type === "auth") return;
    const retry = refused && { message: refused.message, values: refused.answer.input ?? {} };
    const answer: InteractionAnswer =
      open.type === "approval"
        ? await promptApproval(kay, open.request, signal, refused)
        : await promptForm(kay, open.request, signal, retry);
    try {
      await sendAnswer(link, open, answer, target);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "INVALID_REQUEST") throw error;
      refused = { message: error.message, answer: answer };
    }
  }
}

/** A closed card, of which at least the kind is known. */
type ClosedCard = CardItem | { type: CardItem["type"]; ended?: undefined };

/** Reports how a card ended if this answer was too late. */
export function formatClosedCard(card: ClosedCard, { details, message }: Problem): string {
  const won = details.answered as Partial<InteractionResponse> | undefined;
  const end =
    card.ended ?? (won?.action ? { ...won, scope: won.approval_scope, edited: Boolean(won.edited_args) } : undefined);
  if (!end) return message;
  const isHere = card.ended !== undefined && details.answered === undefined;
  if (end.action === "expire")
    return isHere ? "It expired before it was answered." : "Your answer came too late: the request had expired.";
  // The user may have consented in the browser of this machine.
  if ("auth" in card && end.action === "connected")
    return `Connected now: ${card.auth.integrations.map(toLine).join(", ")}.`;
  const text = formatEnd(end, card.type);
  return isHere ? `Answered elsewhere: ${text}.` : `Your answer came too late: it was ${text}.`;
}
