import type { View } from "#ui/view";
import type { Kay, Link } from "../kay.ts";

/** How long the backend may take to hear it, in ms. */
const LIMIT_MS = 2_000;

/** Time for that, and for the command to end; `Kay.graceMs`. */
export const CANCEL_GRACE_MS = 2_500;

/**
 * After Ctrl+C nothing is to go on behind the person's back: the generation is cancelled at the backend. A terminal that was closed
 * (SIGHUP) cancels nothing, so that the conversation can be taken up again.
 */
export async function cancelAtBackend(kay: Kay, link: Link, view: View | undefined): Promise<void> {
  const isOver = ["completed", "cancelled", "error"].includes(view?.status ?? "");
  if (!view?.generation_id || isOver || kay.signal.reason === "SIGHUP") return;
  const over = new AbortController();
  const limit = kay.clock.sleep(LIMIT_MS, over.signal).catch(() => {});
  const told = link.api.cancelGeneration(view.generation_id).then(
    () => {},
    () => {},
  );
  await Promise.race([told, limit]);
  over.abort();
}
