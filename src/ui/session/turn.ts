import { replaced, textOf } from "../editor/draft.ts";
import type { View } from "../view.ts";
import type { Step } from "./events.ts";
import type { Session } from "./state.ts";

/** Whether something is under way: a prompt on its way, or a generation that runs or waits. */
export function isBusy({ view, sending }: Session): boolean {
  return sending !== null || !isOver(view);
}

/** Queued lines come before what is being typed, each in lines of its own. */
export function takenBack(session: Session): Session {
  if (session.queue.length === 0) return session;
  const lines = [...session.queue, textOf(session.draft)].filter((text) => text.trim() !== "");
  return { ...session, queue: [], draft: replaced(session.draft, lines.join("\n")) };
}

/** The turn ends; what was queued behind it comes back into the draft. */
export function cancelTurn(session: Session): Step {
  const generation = session.view.generation_id;
  if (generation === undefined || session.cancelling) return { session, effects: [] };
  return { session: { ...takenBack(session), cancelling: true }, effects: [{ do: "cancel", generation }] };
}

/** Whether nothing of it runs or waits. */
export function isOver({ status }: View): boolean {
  return status === undefined || status === "completed" || status === "cancelled" || status === "error";
}
