import type { Client } from "@modelcontextprotocol/client";
import type { HandleElicitation } from "./types.ts";

/** Maximum number of visits that are tracked. */
const MAX_VISITS = 100;

/** Receives the questions that a server asks while calls are running. */
export type QuestionListener = {
  /** Registers a call whose user may be asked. Returns the function that removes it. */
  hear(ask: HandleElicitation): () => void;
  /** Returns a signal that fires when the server reports that the visit with this ID is done. */
  onVisitDone(id: string): AbortSignal;
};

/** Listens for questions on a connection. `elicits`: the server was told that the user can be asked. */
export function listenForQuestions(client: Client, { elicits }: { elicits: boolean }): QuestionListener {
  const questions = new Set<{ ask: HandleElicitation; over: AbortController }>();
  const visits = new Map<string, AbortController>();
  if (elicits) {
    client.setRequestHandler("elicitation/create", async (request) => {
      // The older protocol does not name the call of a question, so with several calls kay cannot know whom to ask.
      const [first, another] = questions;
      if (!first || another) return { action: "cancel" };
      return await first.ask(request.params, first.over.signal);
    });
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      visits.get(params.elicitationId)?.abort(),
    );
  }
  return {
    hear: (ask) => {
      const question = { ask, over: new AbortController() };
      questions.add(question);
      return () => {
        question.over.abort();
        questions.delete(question);
      };
    },
    onVisitDone: (id) => {
      const visit = visits.get(id) ?? new AbortController();
      if (visits.size < MAX_VISITS) visits.set(id, visit);
      return visit.signal;
    },
  };
}
