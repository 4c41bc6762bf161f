import { createParser } from "eventsource-parser";
import type { InteractionAnswer } from "#protocol/conversations";
import type { StreamPart } from "#protocol/events";
import type { InteractionRequest, Planned } from "#protocol/interactions";

/** What the user answers to an approval or a form. */
export type Decide = (request: InteractionRequest) => InteractionAnswer;

/** What a turn showed the user. */
export type TurnRecord = { cards: InteractionRequest[]; planned: Planned[]; errors: string[] };

export type Person = ReturnType<typeof openPerson>;

/** A client that can show approvals, as the session says that it can. */
const CLIENT = { id: "dojo", name: "dojo", interaction: { supported: true, enabled: true } };

/** A user of a backend: sends requests, answers cards, and sets policies. */
export function openPerson(url: string, token: string) {
  let turns = 0;
  const send = async (method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        // An address may ask only so often, so each turn comes from another one.
        "x-forwarded-for": `10.1.${Math.floor(turns / 250)}.${(turns % 250) + 1}`,
        ...more,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
  return {
    /** Asks over a stream, and answers each approval as `decide` says. */
    async ask(prompt: string, more: object, decide: Decide): Promise<TurnRecord> {
      turns++;
      const record: TurnRecord = { cards: [], planned: [], errors: [] };
      const body = { prompt, interactive: true, client: CLIENT, ...more };
      const answer = await send("POST", "/ask", body, { accept: "text/event-stream" });
      if (!answer.ok || !answer.body) throw new Error(`asking: ${answer.status} ${await answer.text()}`);
      const session = answer.headers.get("kay-session-id") ?? "";
      for await (const part of readParts(answer.body)) {
        if (part.type === "data-planned") record.planned.push(part.data);
        if (part.type === "error") record.errors.push(part.errorText);
        if (part.type !== "data-interaction-request") continue;
        record.cards.push(part.data);
        const path = `/sessions/${session}/interactions/${part.data.interaction_id}`;
        const response = await send("POST", path, decide(part.data));
        if (!response.ok) record.errors.push(`answering: ${response.status} ${await response.text()}`);
      }
      return record;
    },
    /** Asks as a client of the guide does, without a stream. */
    async askPlainly(prompt: string): Promise<Record<string, unknown>> {
      turns++;
      return (await (await send("POST", "/ask", { prompt })).json()) as Record<string, unknown>;
    },
    async confirm(confirmation: unknown, approved: boolean): Promise<void> {
      await (await send("POST", "/ask/confirm", { confirmation_token: confirmation, approved })).text();
    },
    async setPolicy(target: string, mode: string | null): Promise<void> {
      const answer = await send("PUT", "/policies", { policies: [{ target, mode }] });
      if (!answer.ok) throw new Error(`policy ${target}: ${await answer.text()}`);
    },
    async forgetApprovals(): Promise<void> {
      await send("DELETE", "/approvals?target=*");
    },
  };
}

async function* readParts(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPart> {
  const parts: StreamPart[] = [];
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ data }) => void (data !== "[DONE]" && parts.push(JSON.parse(data))) });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* parts.splice(0);
  }
}
