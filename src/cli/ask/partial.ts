import { Problem } from "#protocol/errors";
import type { View } from "#ui/view/view";
import { getReceipts, getText } from "./document.ts";

/**
 * Adds what had come of a request before it failed: its ids, its text and its receipts. A script with `--json` sees
 * nothing else of it.
 */
export function withPartialAnswer(error: unknown, view: View | undefined): unknown {
  if (!(error instanceof Problem) || !view?.generation_id) return error;
  const details = { ...getPartialAnswer(view), ...error.details };
  return new Problem(error.code, error.message, { hint: error.hint, details, cause: error });
}

/** Returns the ids, the text so far and the receipts of the newest generation. */
export function getPartialAnswer(view: View): Record<string, unknown> {
  const { session_id, generation_id } = view;
  const text = getText(view);
  return { session_id, generation_id, ...(text === "" ? {} : { text }), receipts: getReceipts(view) };
}
