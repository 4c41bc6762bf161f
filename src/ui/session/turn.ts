import { getText, replaceText } from "../editor/draft.ts";
import type { View } from "../view/view.ts";
import type { SessionStep } from "./events.ts";
import type { Session } from "./state.ts";

/** Whether the session is busy: a prompt is being sent, or a generation is starting, running or waiting. */
export function isBusy({ view, sending, arriving }: Session): boolean {
  return sending !== null || arriving !== null || !isFinished(view);
}

/** Marks a text as being sent. */
export function beginSending(session: Session, text: string): Session {
  const arriving = { after: session.view.generation_id, until: Number.POSITIVE_INFINITY };
  return { ...session, sending: text, arriving };
}

/**
 * Sends the oldest queued line once nothing is running and the last turn completed. After any other end, all queued
 * lines return to the draft for the user to decide.
 */
export function sendQueued({ session, effects }: SessionStep): SessionStep {
  const [text, ...queue] = session.queue;
  if (text === undefined || isBusy(session)) return { session, effects };
  if (session.view.status !== "completed") return { session: restoreQueue(session), effects };
  return { session: beginSending({ ...session, queue }, text), effects: [...effects, { do: "send", text }] };
}

/** Moves queued lines to the draft, before the text being typed. */
export function restoreQueue(session: Session): Session {
  if (session.queue.length === 0) return session;
  const lines = [...session.queue, getText(session.draft)].filter((text) => text.trim() !== "");
  return { ...session, queue: [], draft: replaceText(session.draft, lines.join("\n")) };
}

/**
 * Cancels the turn and returns queued lines to the draft. A prompt that was just sent is canceled as soon as its
 * generation has an ID.
 */
export function cancelTurn(session: Session): SessionStep {
  const generation = session.view.generation_id;
  if (session.cancelling || !isBusy(session)) return { session, effects: [] };
  const cancelling = { ...restoreQueue(session), cancelling: true };
  if (session.arriving !== null || generation === undefined) return { session: cancelling, effects: [] };
  return { session: cancelling, effects: [{ do: "cancel", generation }] };
}

/** Whether no generation is running or waiting. */
export function isFinished({ status }: View): boolean {
  return status === undefined || status === "completed" || status === "cancelled" || status === "error";
}
