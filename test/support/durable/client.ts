import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { StreamPart } from "#protocol/events";
import type { InteractionRequest } from "#protocol/interactions";
import { isGenerationEnd } from "#protocol/numbered-parts";
import type { BackendProcess } from "./processes.ts";

/** A received part, with its number. */
export type Came = StreamPart & { number: number };

/** What a terminal has seen of one request. */
export type Seen = { session: string; generation: string; parts: Came[]; cuts: number };

type Ports = { token: string; backend(): Promise<BackendProcess> };

/** Time limit of one request in ms, with all its interruptions. */
const LIMIT = 40_000;

/**
 * A terminal that sends a request, follows it, approves, and resumes at its last number whenever it is cut off.
 *
 * @param backend returns the running one; called again whenever the last has gone
 * @param decide the answer to a request; the default approves
 */
export async function askThrough(
  ports: Ports,
  prompt: string,
  decide: (request: InteractionRequest) => object = () => ({ action: "approve" }),
): Promise<Seen> {
  const { token, backend } = ports;
  const end = performance.now() + LIMIT;
  const run: Seen = { session: "", generation: "", parts: [], cuts: 0 };
  const requests: Extract<Came, { type: "data-interaction-request" }>[] = [];
  const answers: Promise<void>[] = [];
  const take = (part: Came) => {
    run.parts.push(part);
    if (part.type === "start") run.generation = part.messageMetadata?.generation_id ?? "";
    if (part.type === "data-interaction-request") requests.push(part);
    if (part.type === "data-status" && part.data.status === "awaiting_approval")
      for (const { data } of requests.splice(0))
        answers.push(sendAnswer(ports, run, data.interaction_id, decide(data)));
  };
  let key = "";
  for (let url = ""; ; ) {
    if (performance.now() > end)
      throw new Error(`${prompt} did not end: ${run.parts.map(({ type }) => type).join(" ")}`);
    const running = await backend();
    if (url !== "" && url !== running.url) run.cuts++;
    url = running.url;
    if (run.session === "" && key !== "") run.session = await findSession(url, token, prompt);
    const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    try {
      let response: Response;
      if (run.session === "") {
        key = randomUUID();
        const body = JSON.stringify({ prompt });
        response = await fetch(`${url}/ask`, { method: "POST", headers: { ...headers, "idempotency-key": key }, body });
      } else {
        headers["last-event-id"] = String(run.parts.at(-1)?.number ?? 0);
        response = await fetch(`${url}/sessions/${run.session}/events`, { headers });
      }
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      run.session = response.headers.get("kay-session-id") ?? run.session;
      for await (const part of readParts(response, end)) {
        take(part);
        if (isGenerationEnd(part)) {
          await Promise.all(answers);
          return run;
        }
      }
    } catch (error) {
      if (error instanceof Error && /^\d\d\d: /.test(error.message)) throw error;
    }
    await pause(20);
  }
}

/** The parts of a stream until it ends, is cut, or it is too late. */
export async function* readParts(response: Response, end = Number.POSITIVE_INFINITY): AsyncGenerator<Came> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await until(reader.read(), end);
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      for (let at = rest.indexOf("\n\n"); at >= 0; at = rest.indexOf("\n\n")) {
        const event = rest.slice(0, at);
        rest = rest.slice(at + 2);
        const data = /^data: ([^\n]*)/m.exec(event)?.[1];
        if (data === "[DONE]") return;
        if (data) yield { number: Number(/^id: (\d+)$/m.exec(event)?.[1]), ...JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Answers once it can be answered; an earlier answer also counts. */
async function sendAnswer({ token, backend }: Ports, { session }: Seen, id: string, answer: object): Promise<void> {
  for (let attemptsLeft = 200; attemptsLeft > 0; attemptsLeft--) {
    const { url } = await backend();
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": randomUUID() };
    const reply = fetch(`${url}/sessions/${session}/interactions/${id}`, {
      method: "POST",
      headers,
      body: JSON.stringify(answer),
    });
    const status = await reply.then((response) => response.text().then(() => response.status)).catch(() => 0);
    if (status === 200 || status === 409) return;
    await pause(50);
  }
  throw new Error(`${id} could not be answered`);
}

/** Looks up a request whose answer never arrived: its conversation, if it began. */
async function findSession(url: string, token: string, prompt: string): Promise<string> {
  const response = await fetch(`${url}/sessions`, { headers: { authorization: `Bearer ${token}` } }).catch(
    () => undefined,
  );
  const { data = [] } = ((await response?.json()) ?? {}) as { data?: { id: string; title: string; status?: string }[] };
  return data.find(({ title, status }) => title === prompt && status !== undefined)?.id ?? "";
}

async function until<T>(work: Promise<T>, end: number): Promise<T> {
  if (end === Number.POSITIVE_INFINITY) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("too late")), Math.max(0, end - performance.now()));
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
