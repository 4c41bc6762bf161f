import { once } from "node:events";
import { request } from "node:http";
import { type Client, place } from "./asking.ts";
import { within } from "./within.ts";

const LIMIT = 60_000;

/** A client that follows a conversation during the measurement. */
export type Attached = { session: string; close(): void };

/** Follows from the latest event on, and records the delay of each event since its append, in ms. */
export async function attachClient(
  { url, token }: Client,
  { session, after }: { session: string; after: number },
  note: (delay: number) => void,
): Promise<Attached> {
  const headers = { authorization: `Bearer ${token}` };
  const path = `${url}/sessions/${session}/events?after=${after}`;
  const sent = request(path, { headers, localAddress: place(), agent: false }).end();
  const [answer] = await within(LIMIT, once(sent, "response"), "a stream of events");
  if (answer.statusCode !== 200) throw new Error(`${path} was answered with ${answer.statusCode}`);
  sent.on("error", () => {});
  answer.on("error", () => {});
  let rest = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    const now = Date.now();
    const events = (rest + chunk).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const at = /"at":"([^"]+)"\}$/.exec(event)?.[1];
      if (at) note(now - Date.parse(at));
    }
  });
  return { session, close: () => void sent.destroy() };
}
