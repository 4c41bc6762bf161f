import type { GenerationStatus } from "#protocol/events";
import type { InteractionRequest } from "#protocol/interactions";
import type { Answer, World } from "./backend.ts";
import { openStream, type TestStream } from "./event-stream.ts";

/** A streamed request, and the user's actions. */
export type Turn = TestStream & {
  session: string;
  /** The next approval or form. */
  asked(): Promise<InteractionRequest>;
  /** Answers one of them, as the token's owner. */
  answer(id: string, body: object): Promise<Answer>;
  /** Reads until the generation has this status. */
  until(status: GenerationStatus): Promise<void>;
};

/** Sends a request over a stream, like a terminal. */
export async function ask(
  world: World,
  token: string,
  prompt: string,
  { headers = {}, ...body }: Record<string, unknown> & { headers?: Record<string, string> } = {},
): Promise<Turn> {
  return createTurn(world, token, await openStream(world, "POST /ask", token, { body: { prompt, ...body }, headers }));
}

/** Follows a conversation from an event on. */
export async function follow(world: World, token: string, session: string, query = "after=0"): Promise<Turn> {
  return createTurn(world, token, await openStream(world, `GET /sessions/${session}/events?${query}`, token));
}

function createTurn(world: World, token: string, stream: TestStream): Turn {
  const session = stream.headers.get("kay-session-id") ?? "";
  return {
    ...stream,
    session,
    asked: async () => (await stream.next("data-interaction-request")).data,
    answer: (id, body) => world.call(`POST /sessions/${session}/interactions/${id}`, { token, body }),
    async until(status) {
      while ((await stream.next("data-status")).data.status !== status);
    },
  };
}
