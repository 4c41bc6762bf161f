import type { Kay } from "../kay.ts";

/**
 * Makes this command print JSON Lines: an answer as a line of type `answer`, and a failure as a last line of type
 * `error`. Each line has the conversation, if known, and the time.
 */
export function useJsonLines(kay: Kay, session: () => string | undefined): void {
  kay.out.setLineFormat((type, document) => {
    const { session_id = session() ?? null, message } = document;
    const head = { type, session_id, timestamp: formatTimestamp(kay) };
    return { ...head, ...(type === "error" ? { errorText: message } : {}), ...document, session_id };
  });
}

/** Formats the current time for a line. */
export function formatTimestamp(kay: Kay): string {
  return new Date(kay.clock.now()).toISOString();
}
