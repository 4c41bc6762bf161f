import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { PlanCard } from "#ui/cards/card-action";
import { createCardUi } from "#ui/cards/update-card";
import { formatApproval } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { askOnCard } from "../prompt/card.ts";
import { promptKey, promptLine, writeNotice } from "../prompt/question.ts";
import { type AnswerTarget, extendRequests, formatAnsweredCard, sendAnswer } from "./prompt-for-card.ts";

type ApprovalCard = Extract<CardItem, { type: "approval" | "form" }>;

/** The approvals of a plan in their current state, and the position of the first among the open requests. */
type PlanQuestion = { cards(): ApprovalCard[]; signal: AbortSignal; position: { n: number; of: number } };

/** How the user answered a plan: as a whole, one by one, or not here, because one of its approvals has closed. */
export type PlanEnd = "answered" | "one by one" | "changed";

/**
 * Shows the approvals of a step together and asks for one answer to all of them. Each is answered separately.
 * @throws Problem CANCELLED, INPUT_REQUIRED
 */
export async function promptForPlan(
  kay: Kay,
  link: BackendHandle,
  { cards, signal, position }: PlanQuestion,
  target: AnswerTarget,
): Promise<PlanEnd> {
  try {
    const answer = kay.flags.plain
      ? await askInLines(kay, cards(), signal)
      : await askOnPlanCard(kay, link, { cards, signal, position }, target);
    if (answer === "one by one") return answer;
    for (const card of cards()) await sendOne(kay, link, card, answer, target);
    return "answered";
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    writeNotice(kay, error.message);
    return "changed";
  }
}

/** The answer to each approval. */
type PlanAnswer = InteractionAnswer | "one by one";

async function askOnPlanCard(
  kay: Kay,
  link: BackendHandle,
  { cards, signal, position }: PlanQuestion,
  target: AnswerTarget,
): Promise<PlanAnswer> {
  const plan = (): PlanCard => ({ kind: "plan", id: "plan", calls: cards().map((card) => ({ card })) });
  const extend = (ids: string[]) => extendRequests(link, target, ids);
  const answered = await askOnCard(kay, { card: plan, ui: createCardUi(plan()), position, signal, extend });
  if (answered === "next" || answered.act.do !== "answer all") return "one by one";
  const [first] = answered.act.answers;
  const answer: InteractionAnswer = first?.answer ?? { action: "deny" };
  for (const card of cards()) writeNotice(kay, formatAnsweredCard(card, answer));
  return answer;
}

async function askInLines(kay: Kay, cards: ApprovalCard[], signal: AbortSignal): Promise<PlanAnswer> {
  cards.forEach(({ request }, index) => {
    writeNotice(kay, `\n${index + 1} of ${cards.length}: ${formatApproval(request)}`);
  });
  writeNotice(kay, `\n  a  approve all ${cards.length}\n  o  one by one\n  n  deny all`);
  const until = cards.map((card) => card.until ?? card.request.expires_at).sort()[0];
  const reply = await promptKey(kay, { text: "Your answer, a/o/n", keys: ["a", "o", "n"], until }, signal);
  if (reply === "a") return { action: "approve", approval_scope: "once" };
  if (reply === "o") return "one by one";
  const reason = await promptLine(kay, "Reason (optional): ", signal);
  return { action: "deny", ...(reason ? { reason } : {}) };
}

/** Sends the answer to one approval. One that was answered elsewhere is reported, and the others still count. */
async function sendOne(
  kay: Kay,
  link: BackendHandle,
  card: CardItem,
  answer: InteractionAnswer,
  target: AnswerTarget,
): Promise<void> {
  try {
    await sendAnswer(link, card, answer, target);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_CLOSED") throw error;
    writeNotice(kay, error.message);
  }
}
