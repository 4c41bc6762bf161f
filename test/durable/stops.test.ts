import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isGenerationEnd } from "#protocol/numbered-parts";
import { until } from "#test/built/processes";
import { type Came, readParts } from "#test/durable/client";
import { cutNode } from "#test/durable/cut-node";
import { createCloseStep, FIRST, LAST } from "#test/durable/killing";
import { usePlace } from "#test/durable/place";
import { listFaults } from "#test/durable/whole";

const place = usePlace(createCloseStep);

/**
 * The outcome of a write whose process pauses at a moment, loses its connection, and continues after another one has
 * done its work.
 */
test.each([
  ["sent before", 1, "settled"],
  ["sent after", 1, "unknown"],
  ["service before", 1, "unknown"],
] as const)(
  'paused at "%s" until another process has continued, a process sends nothing twice and writes nothing',
  async (moment, time, receipt) => {
    const { start, token, database, service } = place();
    const a = await start({ at: moment, time, signal: "SIGSTOP" });
    const b = await start();
    const arrivedCount = service.arrived.length;
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
    const body = JSON.stringify({ prompt: "close it", allow: ["jira.close_issue"] });
    const response = await fetch(`${a.url}/ask`, { method: "POST", headers, body });
    const session = response.headers.get("kay-session-id") ?? "";
    await until(async () => / T /.test(await readFile(`/proc/${a.pid}/stat`, "utf8")), "it does not stand still");
    expect(await cutNode(database.config, session)).toBe(1);
    const parts: Came[] = [];
    const other = await fetch(`${b.url}/sessions/${session}/events`, { headers });
    for await (const part of readParts(other, performance.now() + 30_000)) {
      parts.push(part);
      if (isGenerationEnd(part)) break;
    }
    process.kill(a.pid, "SIGCONT");
    await pause(1_000);
    const generation = parts.find((part) => part.type === "start")?.messageMetadata?.generation_id ?? "";
    const stream = { session, generation, parts, cuts: 0 };
    expect(await listFaults(database, stream, [...FIRST, ...LAST].join(""))).toEqual([]);
    expect(parts.findLast((part) => part.type === "data-receipt")?.data.effect).toBe(receipt);
    expect(service.arrived.length - arrivedCount).toBeLessThanOrEqual(1);
    if (receipt === "settled") expect(service.arrived.length - arrivedCount).toBe(1);
    await Promise.all([a.kill(), b.kill()]);
  },
  60_000,
);
