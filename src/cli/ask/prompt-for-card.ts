import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/events";
import { formatEnd, listMissingServices, toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { writeNotice } from "../prompt/line.ts";
import { promptApproval } from "./approval.ts";
import type { AuthCard, OpenCard } from "./auth.ts";
import { connectMissing } from "./auth.ts";
import { promptForm } from "./form.ts";

/** Where a card is answered: the conversation, and the id or the name of the client that answers. */
export type AnswerTarget = { session: string; client: string };

/**
 * Asks the user about a card and sends the answer. If it was answered elsewhere or has ended, the user learns which
 * answer counts, and nothing is sent.
 * @throws Problem CANCELLED, INPUT_REQUIRED
 */
export async function promptForCard(
  kay: Kay,
  link: BackendHandle,
  asked: OpenCard,
  place: AnswerTarget,
): Promise<void> {
  try {
    if (asked.card().type === "auth")
      await connectMissing(kay, link, asked as OpenCard<AuthCard>, (card) => declineAuth(link, card, place));
    else await answerUntilTaken(kay, link, asked, place);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    writeNotice(kay, formatClosedCard(asked.card(), error));
  }
}

/** Sends an answer. @throws Problem INTERACTION_CLOSED with the answer that counts instead */
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
 * Declines to connect the missing services: cancels the request, or with `go_on` continues without them.
 * @throws Problem INTERACTION_CLOSED with the answer that counts instead
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

/** The backend may refuse an edit or a form that does not fit: then it is asked again, with what was given. */
async function answerUntilTaken(
  kay: Kay,
  link: BackendHandle,
  { card, signal }: OpenCard,
  place: AnswerTarget,
): Promise<void> {
  let refused: { told: string; given: InteractionAnswer } | undefined;
  for (;;) {
    const open = card();
    if (open.type === "auth") return;
    const again = refused && { told: refused.told, values: refused.given.input ?? {} };
    const answer: InteractionAnswer =
      open.type === "approval"
        ? await promptApproval(kay, open.request, signal, refused)
        : await promptForm(kay, open.request, signal, again);
    try {
      await sendAnswer(link, open, answer, place);
      return;
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "INVALID_REQUEST") throw error;
      refused = { told: error.message, given: answer };
    }
  }
}

/** Of a closed card, at least the kind is known. */
type Closed = CardItem | { type: CardItem["type"]; ended?: undefined };

/** What became of a card that this answer came too late for. */
export function formatClosedCard(card: Closed, { details, message }: Problem): string {
  const won = details.answered as Partial<InteractionResponse> | undefined;
  const end =
    card.ended ?? (won?.action ? { ...won, scope: won.approval_scope, edited: Boolean(won.edited_args) } : undefined);
  if (!end) return message;
  const isHere = card.ended !== undefined && details.answered === undefined;
  if (end.action === "expire")
    return isHere ? "It expired before it was answered." : "Your answer came too late: the request had expired.";
  // Who allowed it in the browser may sit right here.
  if ("auth" in card && end.action === "connected")
    return `Connected now: ${card.auth.integrations.map(toLine).join(", ")}.`;
  const what = formatEnd(end, card.type);
  return isHere ? `Answered elsewhere: ${what}.` : `Your answer came too late: it was ${what}.`;
}
