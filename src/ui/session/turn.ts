import { getText, replaceText } from "../editor/draft.ts";
import type { View } from "../view/view.ts";
import type { SessionStep } from "./events.ts";
import type { Session } from "./state.ts";

/** Whether something is under way: a prompt on its way, or a generation that begins, runs or waits. */
export function isBusy({ view, sending, arriving }: Session): boolean {
  return sending !== null || arriving !== null || !isFinished(view);
}

/** The session that sends a text. */
export function beginSending(session: Session, text: string): Session {
  const arriving = { after: session.view.generation_id, until: Number.POSITIVE_INFINITY };
  return { ...session, sending: text, arriving };
}

/**
 * What was queued has its turn when nothing is under way any more: the oldest line is sent after a turn that went well; after any other all
 * come back into the draft, for the person to decide.
 */
export function sendQueued({ session, effects }: SessionStep): SessionStep {
  const [text, ...queue] = session.queue;
  if (text === undefined || isBusy(session)) return { session, effects };
  if (session.view.status !== "completed") return { session: restoreQueue(session), effects };
  return { session: beginSending({ ...session, queue }, text), effects: [...effects, { do: "send", text }] };
}

/** Queued lines come before what is being typed, each in lines of its own. */
export function restoreQueue(session: Session): Session {
  if (session.queue.length === 0) return session;
  const lines = [...session.queue, getText(session.draft)].filter((text) => text.trim() !== "");
  return { ...session, queue: [], draft: replaceText(session.draft, lines.join("\n")) };
}

/**
 * The turn ends; what was queued behind it comes back into the draft. What a prompt that was just sent begins is cancelled as soon as it has
 * a name.
 */
export function cancelTurn(session: Session): SessionStep {
  const generation = session.view.generation_id;
  if (session.cancelling || !isBusy(session)) return { session, effects: [] };
  const cancelling = { ...restoreQueue(session), cancelling: true };
  if (session.arriving !== null || generation === undefined) return { session: cancelling, effects: [] };
  return { session: cancelling, effects: [{ do: "cancel", generation }] };
}

/** Whether nothing of it runs or waits. */
export function isFinished({ status }: View): boolean {
  return status === undefined || status === "completed" || status === "cancelled" || status === "error";
}
