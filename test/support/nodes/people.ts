import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { isGenerationEnd } from "#protocol/numbered-parts";
import { type Came, readParts } from "../durable/client.ts";
import { SERVED_BY } from "./balancer.ts";
import { type Ledger, noteEnd, notePart, type Write } from "./ledger.ts";
import { wishes } from "./model.ts";

/** Silence in ms after which a reader considers a stream dead; a node writes every 15 s. */
const SILENCE = 20_000;

/** Time in ms after which a request counts as lost. */
const REQUEST_LIMIT = 12_000;

/** Time limit of one wish in ms, whatever happens to the nodes. */
const WISH_LIMIT = 150_000;

export type Crowd = { url: string; token: string; ledger: Ledger };

/**
 * A user with a separate address. Sends one request after another until the signal fires, and follows each to its end.
 */
export async function person(crowd: Crowd, index: number, signal: AbortSignal): Promise<void> {
  const own: Person = { ...crowd, address: `10.0.${index >> 8}.${index & 255}` };
  for (let turn = index; !signal.aborted; turn++) {
    const mark = randomUUID();
    try {
      if (turn % 5 === 0) await askForJson(own, wishes.read(mark));
      else if (turn % 5 === 1) await askForStream(own, wishes.read(mark), mark);
      else if (turn % 5 < 4) await askForStream(own, wishes.write(mark), mark);
      else await askForStream(own, wishes.talk(60, mark), mark);
    } catch (error) {
      crowd.ledger.faults.push(`${error instanceof Error ? error.message : error}`);
    }
    await pause(50 + 20 * (index % 5), undefined, { signal }).catch(() => {});
  }
}

/** A user who only requests long answers, so that there is much to read. */
export async function talker(crowd: Crowd, index: number, signal: AbortSignal): Promise<void> {
  const person: Person = { ...crowd, address: `10.1.0.${index}` };
  while (!signal.aborted) {
    const mark = randomUUID();
    await askForStream(person, wishes.talk(250, mark), mark).catch((error: Error) =>
      crowd.ledger.faults.push(error.message),
    );
  }
}

type Person = Crowd & { address: string };

/** One wish over a stream: cut streams are resumed, another client answers cards, and another one follows. */
async function askForStream(person: Person, prompt: string, mark: string): Promise<void> {
  const { ledger } = person;
  const end = performance.now() + WISH_LIMIT;
  const write: Write | undefined = prompt.startsWith("write") ? { mark, generation: "", approvals: 0 } : undefined;
  if (write) ledger.writes.push(write);
  const others: Promise<void>[] = [];
  const addOther = (work: Promise<void>) =>
    others.push(work.catch((error: Error) => void ledger.faults.push(error.message)));
  const cards = new Map<string, boolean>();
  let session = "";
  let last = 0;
  let key = randomUUID();
  for (let cuts = 0; ; cuts++) {
    if (performance.now() > end) throw new Error(`“${prompt}” did not end (${session}, after ${last})`);
    ledger.underWay.set(mark, `${prompt}: ${session} after ${last}, cut ${cuts} times`);
    const asking = session === "";
    const response = asking
      ? await opened(person, "POST", "/ask", { "idempotency-key": key, accept: "text/event-stream" }, { prompt })
      : await opened(person, "GET", `/sessions/${session}/events`, { "last-event-id": String(last) });
    if (response?.status === 409) {
      const { state } = (await response.json().catch(() => ({}))) as { state?: string };
      if (state === "interrupted") key = randomUUID();
    }
    if (response?.status !== 200) {
      await pause(150);
      continue;
    }
    if (cuts > 0) ledger.resumed++;
    session = response.headers.get("kay-session-id") ?? session;
    const by = response.headers.get(SERVED_BY) ?? "";
    const stream = { session, elsewhere: false, since: Date.now() };
    if (asking) addOther(readAlong(person, session, by, end));
    for await (const part of read(person, response)) {
      notePart(ledger, stream, part, last);
      last = part.number;
      if (write && part.type === "start") write.generation = part.messageMetadata?.generation_id ?? "";
      if (write && part.type === "data-receipt") write.receipt = part.data.effect;
      if (part.type === "data-interaction-request") cards.set(part.data.interaction_id, false);
      if (part.type === "data-status" && part.data.status === "awaiting_approval")
        for (const [id, isAsked] of cards) if (!isAsked) addOther(approve(person, session, id, end, write));
      if (part.type === "data-status") for (const id of cards.keys()) cards.set(id, true);
      if (!isGenerationEnd(part)) continue;
      if (write) write.end = part.type;
      noteEnd(ledger, part.type);
      if (part.type === "error" || part.type === "abort")
        ledger.faults.push(`“${prompt}” ended in ${JSON.stringify(part)}`);
      ledger.underWay.set(mark, `${prompt}: ${session} is over, somebody else still reads or answers`);
      await Promise.all(others);
      ledger.underWay.delete(mark);
      return;
    }
  }
}

/** One wish with a JSON answer; a lost one is looked up. */
async function askForJson(person: Person, prompt: string): Promise<void> {
  const { ledger } = person;
  const end = performance.now() + WISH_LIMIT;
  for (let key = randomUUID(); performance.now() < end; await pause(200)) {
    ledger.underWay.set(prompt, key);
    const answer = await opened(person, "POST", "/ask", { "idempotency-key": key }, { prompt });
    const { status, state } = ((await answer?.json().catch(() => ({}))) ?? {}) as { status?: string; state?: string };
    if (status === "completed") return noteEnd(ledger, "answer", prompt);
    if (state === "interrupted") key = randomUUID();
    for (let looks = 0; answer?.status !== 404 && state !== "interrupted" && looks < 100; looks++) {
      const response = await opened(person, "GET", `/requests/${key}`, {});
      if (response === undefined || response.status !== 200) break;
      const outcome = (await response.json().catch(() => ({}))) as { state?: string; answer?: { status?: string } };
      if (outcome.state === "done" && outcome.answer?.status === "completed") return noteEnd(ledger, "answer", prompt);
      if (outcome.state !== "running") break;
      await pause(200);
    }
  }
  throw new Error(`“${prompt}” was never answered`);
}

/** Another client, wherever the balancer sends it: the same parts, once each. */
async function readAlong(person: Person, session: string, asker: string, end: number): Promise<void> {
  for (let last = 0; performance.now() < end; await pause(100)) {
    const stream = await opened(person, "GET", `/sessions/${session}/events`, { "last-event-id": String(last) });
    if (stream?.status !== 200) continue;
    const place = { session, elsewhere: stream.headers.get(SERVED_BY) !== asker, since: Date.now() };
    for await (const part of read(person, stream)) {
      notePart(person.ledger, place, part, last);
      last = part.number;
      if (isGenerationEnd(part)) return;
    }
  }
  throw new Error(`${session} was not read to its end`);
}

/**
 * Answers a card until an answer is recorded. A lost answer is repeated, under another key if the first was cut off.
 */
async function approve(
  person: Person,
  session: string,
  id: string,
  end: number,
  write: Write | undefined,
): Promise<void> {
  for (let key = randomUUID(); performance.now() < end; await pause(100)) {
    const path = `/sessions/${session}/interactions/${id}`;
    const answer = await opened(person, "POST", path, { "idempotency-key": key }, { action: "approve" });
    const { code, state } = ((await answer?.json().catch(() => ({}))) ?? {}) as { code?: string; state?: string };
    if (state === "interrupted") key = randomUUID();
    if (answer?.status !== 200 && (answer?.status !== 409 || code === "IDEMPOTENCY_CONFLICT")) continue;
    if (write) write.approvals = 1;
    return;
  }
  throw new Error(`${id} of ${session} could not be answered`);
}

/** Sends one request; a failure is recorded with the disturbance at that time. */
async function opened(
  { url, token, ledger, address }: Person,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Response | undefined> {
  const { phase } = ledger;
  if (ledger.over) throw new Error(`${path} was not asked for any more`);
  ledger.requests++;
  const route = `${method} ${path.replace(/(session|gen|int)_\w+|[0-9a-f-]{36}/g, "…")}`;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error("no answer in time")), REQUEST_LIMIT);
  try {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "x-forwarded-for": address, ...headers },
      signal: limit.signal,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (response.status < 500 && response.status !== 429) return response;
    const text = (await response.text()).slice(0, 160);
    // A client that gave up waiting has stopped it.
    if (text.includes("CANCELLED")) return Response.json({ state: "interrupted" }, { status: 409 });
    ledger.failures.push({ phase: worse(phase, ledger), what: `${route}: ${response.status} ${text}` });
    return undefined;
  } catch (error) {
    ledger.failures.push({ phase: worse(phase, ledger), what: `${route}: ${reason(error)}` });
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a stream until it ends or is cut. A cut within a part is recorded; one between two parts is how a node ends.
 */
async function* read({ ledger }: Person, stream: Response): AsyncGenerator<Came> {
  const { phase } = ledger;
  const parts = readParts(stream);
  try {
    for (;;) {
      const next = await within(parts.next());
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    ledger.failures.push({ phase: worse(phase, ledger), what: `a stream: ${reason(error)}` });
  } finally {
    void parts.return(undefined).catch(() => {});
  }
}

async function within<T>(next: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("silence")), SILENCE);
  return await Promise.race([next, promise]).finally(() => clearTimeout(timer));
}

/** A request that began before a disturbance and failed during it counts for it. */
function worse(before: Ledger["phase"], { phase }: Ledger): Ledger["phase"] {
  return phase === "quiet" || phase === "roll" ? (before === "quiet" ? phase : before) : phase;
}

function reason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? `${(cause as { code?: string }).code ?? ""} ${cause.message}`.trim() : String(cause);
}
