import type { Kay } from "../kay.ts";

/**
 * From now on, this command prints JSON Lines: a whole answer as a line of type `answer`, and a failure as a last line
 * of type `error`. Each line has the conversation, if known, and the time.
 */
export function useJsonLines(kay: Kay, session: () => string | undefined): void {
  kay.out.setLineFormat((type, document) => {
    const { session_id = session() ?? null, message } = document;
    const head = { type, session_id, timestamp: formatTimestamp(kay) };
    return { ...head, ...(type === "error" ? { errorText: message } : {}), ...document, session_id };
  });
}

/** The current time in the format of every line. */
export function formatTimestamp(kay: Kay): string {
  return new Date(kay.clock.now()).toISOString();
}
