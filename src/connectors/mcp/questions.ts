import type { Client } from "@modelcontextprotocol/client";
import type { HandleElicitation } from "./types.ts";

/** Ids of addresses that a server may say to be done; no more than so many are waited for. */
const MOST_VISITS = 100;

/** What a server asks over a link while its calls are under way. */
export type QuestionListener = {
  /** A call whose person may be asked, until the returned function says that it is over. */
  hear(ask: HandleElicitation): () => void;
  /** Fires when the server says that a visit of this id is done. */
  completed(id: string): AbortSignal;
};

/** Listen to the questions of a link. `elicits`: its server was told that people can be asked. */
export function listenForQuestions(client: Client, { elicits }: { elicits: boolean }): QuestionListener {
  const asked = new Set<{ ask: HandleElicitation; over: AbortController }>();
  const visits = new Map<string, AbortController>();
  if (elicits) {
    client.setRequestHandler("elicitation/create", async (request) => {
      // The older protocol does not say which call a question belongs to: with several it cannot be told whom to ask.
      const [first, another] = asked;
      if (!first || another) return { action: "cancel" };
      return await first.ask(request.params, first.over.signal);
    });
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      visits.get(params.elicitationId)?.abort(),
    );
  }
  return {
    hear: (ask) => {
      const one = { ask, over: new AbortController() };
      asked.add(one);
      return () => {
        one.over.abort();
        asked.delete(one);
      };
    },
    completed: (id) => {
      const known = visits.get(id) ?? new AbortController();
      if (visits.size < MOST_VISITS) visits.set(id, known);
      return known.signal;
    },
  };
}
