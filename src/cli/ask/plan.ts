import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { formatApproval } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { promptLine, writeNotice } from "../prompt/line.ts";
import { type AnswerTarget, sendAnswer } from "./prompt-for-card.ts";

/** How the user answered a plan: all of it, not as a whole, or not here, because one of its approvals has closed. */
export type PlanEnd = "answered" | "one by one" | "changed";

/**
 * Shows the approvals of a step together, and asks for one answer to all of them. Each is answered in its own name.
 * @throws Problem CANCELLED, INPUT_REQUIRED
 */
export async function promptForPlan(
  kay: Kay,
  link: BackendHandle,
  { cards, signal }: { cards: Extract<CardItem, { type: "approval" | "form" }>[]; signal: AbortSignal },
  place: AnswerTarget,
): Promise<PlanEnd> {
  cards.forEach(({ request }, index) => {
    writeNotice(kay, `\n${index + 1} of ${cards.length}: ${formatApproval(request)}`);
  });
  writeNotice(kay, `\n  a  approve all ${cards.length}\n  o  one by one\n  n  deny all`);
  try {
    const answer = await promptForAnswer(kay, signal);
    if (answer === "one by one") return answer;
    for (const card of cards) await sendOne(kay, link, card, answer, place);
    return "answered";
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    writeNotice(kay, error.message);
    return "changed";
  }
}

async function promptForAnswer(kay: Kay, signal: AbortSignal): Promise<InteractionAnswer | "one by one"> {
  for (;;) {
    const typed = (await promptLine(kay, "Your answer, a/o/n: ", signal)).toLowerCase();
    if (typed === "a") return { action: "approve", approval_scope: "once" };
    if (typed === "o") return "one by one";
    if (typed !== "n" && typed !== "no") continue;
    const reason = await promptLine(kay, "Reason (optional): ", signal);
    return { action: "deny", ...(reason ? { reason } : {}) };
  }
}

/** Sends the answer to one approval. What was answered elsewhere meanwhile is said, and the others still count. */
async function sendOne(
  kay: Kay,
  link: BackendHandle,
  card: CardItem,
  answer: InteractionAnswer,
  place: AnswerTarget,
): Promise<void> {
  try {
    await sendAnswer(link, card, answer, place);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    writeNotice(kay, error.message);
  }
}
