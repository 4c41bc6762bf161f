import type { AskResponse } from "#protocol/ask";
import type { StreamPart } from "#protocol/events";
import type { ConfirmCard } from "#ui/cards/update-card";
import { formatConfirmation } from "#ui/text/confirmation";
import type { TimedPart } from "#ui/view/reduce";
import type { View } from "#ui/view/view";

/** Builds the parts of a stream from the whole answer of a basic backend. Numbers continue from the view. */
export function toParts(answer: AskResponse, prompt: string | null, view: View): TimedPart[] {
  const id = answer.generation_id ?? `answer_${view.last}`;
  const text = answer.status === "confirmation_required" ? "" : answer.message;
  const parts: StreamPart[] = [
    ...(prompt === null
      ? []
      : [{ type: "data-user-message" as const, data: { text: prompt, source: "typed" as const } }]),
    { type: "start", messageMetadata: { generation_id: id, session_id: answer.session_id ?? undefined } },
    ...(answer.status === "error"
      ? [{ type: "error" as const, errorText: answer.message, ...(answer.code ? { code: answer.code } : {}) }]
      : [
          { type: "text-start" as const, id },
          { type: "text-delta" as const, id, delta: text },
          { type: "text-end" as const, id },
          ...(answer.receipts ?? []).map((data) => ({ type: "data-receipt" as const, data })),
          { type: "finish" as const },
        ]),
  ];
  return parts.map((part, index) => ({ number: view.last + index + 1, part }));
}

/** Returns the card of an answer that needs a confirmation; null for every other. */
export function toConfirmCard(answer: AskResponse): ConfirmCard | null {
  const token = answer.confirmation_token;
  if (answer.status !== "confirmation_required" || !token) return null;
  const { expires_at } = answer;
  return {
    kind: "confirmation",
    id: token,
    message: formatConfirmation(answer),
    ...(expires_at ? { expires_at } : {}),
  };
}
