import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isGenerationEnd } from "#protocol/events";
import { until } from "#test/built/processes";
import { type Came, partsOf } from "#test/durable/client";
import { closing, FIRST, LAST } from "#test/durable/killing";
import { usePlace } from "#test/durable/place";
import { faultsOf } from "#test/durable/whole";
import { ask as sqlAsk } from "#test/postgres-world";

const place = usePlace(closing);

/** What becomes of a write whose process stands still at a moment, loses its connection, and goes on when another one has done its work. */
test.each([
  ["planned after", 1, "settled"],
  ["sent after", 1, "unknown"],
  ["service before", 1, "unknown"],
] as const)(
  'stopped at "%s" until another process has gone on, a process sends nothing twice and writes nothing',
  async (at, time, receipt) => {
    const { start, token, database, service } = place();
    const a = await start({ at, time, signal: "SIGSTOP" });
    const b = await start();
    const before = service.arrived.length;
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const body = JSON.stringify({ prompt: "close it", allow: ["jira.close_issue"] });
    const asked = await fetch(`${a.url}/ask`, { method: "POST", headers, body });
    const session = asked.headers.get("kay-session-id") ?? "";
    await until(async () => / T /.test(await readFile(`/proc/${a.pid}/stat`, "utf8")), "it does not stand still");
    const cut = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
      and objid::int = (select node from generations where conversation_id = '${session}')`;
    expect(Number(await sqlAsk(database.config, cut))).toBe(1);
    const parts: Came[] = [];
    const other = await fetch(`${b.url}/sessions/${session}/events`, { headers });
    for await (const part of partsOf(other, performance.now() + 30_000)) {
      parts.push(part);
      if (isGenerationEnd(part)) break;
    }
    process.kill(a.pid, "SIGCONT");
    await pause(1_000);
    const generation = parts.find((part) => part.type === "start")?.messageMetadata?.generation_id ?? "";
    const seen = { session, generation, parts, cuts: 0 };
    expect(await faultsOf(database, seen, [...FIRST, ...LAST].join(""))).toEqual([]);
    expect(parts.findLast((part) => part.type === "data-receipt")?.data.effect).toBe(receipt);
    expect(service.arrived.length - before).toBeLessThanOrEqual(1);
    if (receipt === "settled") expect(service.arrived.length - before).toBe(1);
    await Promise.all([a.kill(), b.kill()]);
  },
  60_000,
);
