import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { askThrough, type Came, readParts } from "#test/durable/client";
import { cutNode } from "#test/durable/cut-node";
import type { ModelAsk, ModelStep } from "#test/durable/outside";
import { usePlace } from "#test/durable/place";
import type { BackendProcess } from "#test/durable/processes";
import { listFaults } from "#test/durable/whole";

const WORDS = Array.from({ length: 200 }, (_, index) => `word ${index} `);
const place = usePlace(script);

/** A long answer; or a write that is approved, then a short one. */
function script({ results, messages }: ModelAsk): ModelStep {
  const wish = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content);
  if (wish.includes("long")) return { text: WORDS };
  if (results > 0) return { text: ["Closed."] };
  return { text: [], calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] };
}

test("a process that is killed while it streams is replaced by another within seconds, and nothing is missing", {
  timeout: 90_000,
}, async () => {
  const { start, token, database } = place();
  const [a, b] = await Promise.all([start(), start()]);
  let killed = 0;
  const backend = async () => (a.alive() ? a : b);
  const watch = (async () => {
    while ((await countWords(a, token)) < 20) await pause(20);
    await a.kill();
    killed = performance.now();
  })();
  const outcome = await askThrough({ token, backend }, "long");
  await watch;
  const { db } = database;
  expect(await listFaults(database, outcome, WORDS.join(""))).toEqual([]);
  expect(outcome.cuts).toBe(1);
  const { claimed } = (await db
    .selectFrom("generations")
    .select("node as claimed")
    .where("id", "=", outcome.generation)
    .executeTakeFirst()) ?? { claimed: 0 };
  expect(claimed).toBeNull();
  expect(performance.now() - killed).toBeLessThan(15_000);
  await b.kill();

  /** How many words are in the log. */
  async function countWords(_: BackendProcess, __: string): Promise<number> {
    const rows = await database.db.selectFrom("events").select("part").execute();
    return (
      rows
        .map(({ part }) => String((part as { delta?: string }).delta ?? ""))
        .join("")
        .split(" ").length / 2
    );
  }
});

test("a paused process keeps its work; one whose connection is cut has lost it and writes nothing", {
  timeout: 120_000,
}, async () => {
  const { start, token, database, service, model } = place();
  const a = await start();
  const b = await start();
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const first = await fetch(`${a.url}/ask`, { method: "POST", headers, body: JSON.stringify({ prompt: "long" }) });
  const session = first.headers.get("kay-session-id");
  const parts: Came[] = [];
  const asks = model.asks.length;
  const reading = (async () => {
    const other = await fetch(`${b.url}/sessions/${session}/events`, { headers });
    for await (const part of readParts(other, performance.now() + 60_000)) {
      parts.push(part);
      if (part.type === "finish") return;
    }
  })();
  while (!parts.some(({ type }) => type === "text-delta")) await pause(20);
  process.kill(a.pid, "SIGSTOP");
  await pause(1_000);
  const paused = parts.length;
  await pause(1_000);
  // Nobody took it over, because the database considers it alive.
  expect(parts.length).toBe(paused);
  expect(await cutNode(database.config, session ?? "")).toBe(1);
  await reading;
  process.kill(a.pid, "SIGCONT");
  await pause(1_000);
  const generation = parts.find((part) => part.type === "start")?.messageMetadata?.generation_id ?? "";
  const stream = { session: session ?? "", generation, parts, cuts: 0 };
  expect(await listFaults(database, stream, WORDS.join(""))).toEqual([]);
  expect(model.asks.length - asks).toBeLessThanOrEqual(2);
  expect(a.alive()).toBe(true);
  const arrivedCount = service.arrived.length;
  const again = await askThrough({ token, backend: async () => a }, "close it");
  expect(await listFaults(database, again, "Closed.")).toEqual([]);
  expect(service.arrived.length - arrivedCount).toBe(1);
  await Promise.all([a.kill(), b.kill()]);
});
