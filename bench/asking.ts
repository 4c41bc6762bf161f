import { once } from "node:events";
import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { within } from "./within.ts";

const PROMPT = 'send "hello" to #general';

/** Time limit in ms of each wait: a response head, the next part of a stream, its end. */
const LIMIT = 60_000;

export type Client = { url: string; token: string };
export type Asked = { session: string; interaction: string };

/** Signs in by connecting the sandbox's Slack. */
export async function connectSlack(url: string): Promise<string> {
  const json = async (path: string, init: RequestInit = {}) =>
    (await (await fetch(path, { ...init, signal: AbortSignal.timeout(LIMIT) })).json()) as Record<string, string>;
  const begun = await json(`${url}/connections/connect?service=slack`, { method: "POST", body: "{}" });
  const { authorization_url = "", state } = begun;
  const body = JSON.stringify({ authorization_url, decision: "allow" });
  const { redirect_url = "" } = await json(`${new URL(authorization_url).origin}/_sandbox/consent`, {
    method: "POST",
    body,
  });
  await (await fetch(redirect_url, { signal: AbortSignal.timeout(LIMIT) })).text();
  return (await json(`${url}/auth/status/${state}`)).token ?? "";
}

/** Runs one generation until it waits for an approval; then nobody reads it. */
export async function pauseGeneration(client: Client): Promise<Asked> {
  const { stream, asked } = await askForApproval(client);
  stream.close();
  return asked;
}

/** Measures the milliseconds from the approval to the result, as a follower sees it. */
export async function measureApproval(client: Client): Promise<number> {
  const { stream, asked } = await askForApproval(client);
  await pause(20);
  const began = performance.now();
  const answer = approve(client, asked);
  await stream.part("tool-output-available");
  const took = performance.now() - began;
  await answer;
  stream.close();
  return took;
}

export async function approve(client: Client, { session, interaction }: Asked): Promise<void> {
  const stream = await open(client, "POST", `/sessions/${session}/interactions/${interaction}`, { action: "approve" });
  await stream.end();
}

/** Opens an idle stream of a conversation. Returns the function that ends it. */
export async function follow(client: Client, { session }: Asked): Promise<() => void> {
  const stream = await open(client, "GET", `/sessions/${session}/events`);
  await stream.part("finish");
  return stream.close;
}

/** The same for any server. */
export async function read(url: string): Promise<() => void> {
  const stream = await open({ url, token: "" }, "GET", "/");
  await stream.part("finish");
  return stream.close;
}

/** Waits until all generations have ended; a failed one is an error. */
export async function waitForAll(client: Client, limit: number): Promise<void> {
  const end = performance.now() + limit;
  for (let page = 1; ; ) {
    const stream = await open(client, "GET", `/sessions?limit=100&page=${page}`);
    const { data } = JSON.parse(await stream.end()) as { data: { id: string; status: string }[] };
    const other = data.find(({ status }) => status !== "completed");
    if (other && /cancelled|error/.test(other.status)) throw new Error(`${other.id} ended as ${other.status}`);
    if (!other && data.length < 100) return;
    if (!other) page++;
    else if (performance.now() > end) throw new Error(`after ${limit / 1000} s ${other.id} is still ${other.status}`);
    else await pause(100);
  }
}

/** The same, with a reader that stays. */
export async function askForApproval(client: Client) {
  const stream = await open(client, "POST", "/ask", { prompt: PROMPT });
  const { data } = await stream.part("data-interaction-request");
  await stream.part("data-status", ({ status }) => status === "awaiting_approval");
  return { stream, asked: { session: stream.session, interaction: String(data.interaction_id) } };
}

type Part = { type: string; data: Record<string, unknown> };

let last = 0;

/**
 * Returns one of two hundred addresses of this machine, in turn, because each may send only a limited number of
 * requests.
 */
export function place(): string {
  last = (last + 1) % 200;
  return `127.0.1.${last + 1}`;
}

/** Sends a request and reads its answer as text or as an event stream. Any status but 200 is an error. */
export async function open({ url, token }: Client, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: method === "POST" && path === "/ask" ? "text/event-stream" : "*/*",
  };
  const sent = request(url + path, { method, headers, localAddress: place(), agent: false });
  sent.end(body && JSON.stringify(body));
  const [answer] = await within(LIMIT, once(sent, "response"), `an answer to ${method} ${path}`);
  sent.on("error", () => {});
  let text = "";
  answer.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  answer.on("error", () => {});
  const ended = once(answer, "close");
  if (answer.statusCode !== 200) {
    await within(LIMIT, ended, `the end of ${path}`);
    throw new Error(`${method} ${path} was answered with ${answer.statusCode}: ${text.slice(0, 200)}`);
  }
  let read = 0;
  const next = (): Part | undefined => {
    const end = text.indexOf("\n\n", read);
    if (end < 0) return undefined;
    const line = text
      .slice(read, end)
      .split("\n")
      .find((each) => each.startsWith("data: {"));
    read = end + 2;
    return line ? (JSON.parse(line.slice(6)) as Part) : { type: "", data: {} };
  };
  return {
    session: String(answer.headers["kay-session-id"] ?? ""),
    headers: answer.headers as Record<string, string | undefined>,
    async part(type: string, wanted: (data: Part["data"]) => boolean = () => true): Promise<Part> {
      for (;;) {
        for (let part = next(); part; part = next()) {
          if (part.type === type && wanted(part.data)) return part;
          if (part.type === "abort" || part.type === "error") throw new Error(`${path}: ${JSON.stringify(part)}`);
        }
        if (answer.destroyed) throw new Error(`${path} ended without ${type}: ${text.slice(-400)}`);
        const more = Promise.race([once(answer, "data"), ended]);
        await within(LIMIT, more, `${type} on ${path}, whose stream ends in ${text.slice(-400)}`);
      }
    },
    async end(): Promise<string> {
      await within(LIMIT, ended, `the end of ${path}`);
      return text;
    },
    close: () => void sent.destroy(),
  };
}
