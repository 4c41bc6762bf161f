import type { StreamPart } from "#protocol/events";
import { listOpenCards, type View } from "#ui/view/view";
import type { Kay } from "../kay.ts";
import { formatTimestamp, useJsonLines } from "../output/json-lines-mode.ts";
import { isTimedOutProblem } from "../time-limit.ts";
import { getAnswerCommands } from "./pending-items.ts";
import type { Presenter } from "./presenter.ts";

/**
 * Prints each part as one line of JSON with the conversation and the time, as soon as it arrives. A part that asks the
 * user also has the commands that answer it.
 *
 * @param session ID of the conversation, if the response header has it
 */
export function createJsonLinesPresenter(kay: Kay, session: string | undefined): Presenter {
  let sessionId = session;
  useJsonLines(kay, () => sessionId);
  return {
    part(part, view) {
      const { type, ...rest } = part;
      sessionId = view.session_id ?? session;
      kay.out.writeJsonLine({
        type,
        session_id: sessionId ?? null,
        timestamp: formatTimestamp(kay),
        ...rest,
        ...listAnswers(kay, part, view),
      });
    },
    markShown: () => {},
    hold: () => {},
    release: () => {},
    end: () => {},
  };
}

/** Prints the last line if the time limit passed before the end. Nothing else may appear on stdout then. */
export function writeTimeoutLine(kay: Kay, view: View | undefined, error: unknown): void {
  if (!isTimedOutProblem(error)) return;
  const { code, message: errorText, hint, details } = error;
  const session_id = view?.session_id;
  const timestamp = new Date(kay.clock.now()).toISOString();
  kay.out.writeJsonLine({
    type: "error",
    ...(session_id ? { session_id } : {}),
    timestamp,
    errorText,
    code,
    hint,
    details,
  });
  kay.flags = { ...kay.flags, json: false };
}

function listAnswers(kay: Kay, part: StreamPart, view: View): { answer?: string[] } {
  if (part.type !== "data-interaction-request" && part.type !== "data-auth-needed") return {};
  const id = part.type === "data-auth-needed" ? part.data.generation_id : part.data.interaction_id;
  const card = listOpenCards(view).findLast((card) => card.id === id);
  return card ? { answer: getAnswerCommands(kay, card) } : {};
}
