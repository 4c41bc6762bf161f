import type { Kay } from "../kay.ts";

/**
 * From now on this command prints JSON Lines: also an answer that came whole, as a line of type `answer`, and a failure, as the last one of
 * type `error`. Each has the conversation, as far as it is known, and the time.
 */
export function useJsonLines(kay: Kay, session: () => string | undefined): void {
  kay.out.setLineFormat((type, document) => {
    const { session_id = session() ?? null, message } = document;
    const head = { type, session_id, timestamp: formatTimestamp(kay) };
    return { ...head, ...(type === "error" ? { errorText: message } : {}), ...document, session_id };
  });
}

/** Now, as every line has it. */
export function formatTimestamp(kay: Kay): string {
  return new Date(kay.clock.now()).toISOString();
}
