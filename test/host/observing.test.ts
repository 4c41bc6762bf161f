import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTelemetry, type Telemetry } from "#host/telemetry";
import { METRICS } from "#telemetry/metrics";
import type { Observe } from "#telemetry/trace";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { read } from "#test/documents";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

type SentSpan = { traceId: string; spanId: string; parentSpanId?: string; name: string; attributes: unknown };

const collected: string[] = [];
const collector = createServer((request, response) => {
  let body = `${request.headers["x-key"]} `;
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    collected.push(body);
    response.end("{}");
  });
});
let observing: Telemetry;
/** Created before the file's backend; its data goes to what is opened later. */
const observe: Observe = {
  count: (...args) => observing.observe.count(...args),
  measure: (...args) => observing.observe.measure(...args),
  seconds: () => observing.observe.seconds(),
  get traces() {
    return observing.observe.traces;
  },
};
const { model, world } = useScriptedBackend({ services: deskServices([]), observe });

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  observing = await openTelemetry({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20key",
      OTEL_SERVICE_NAME: "kay-test",
    },
    fetch,
    log: () => {},
    version: "1.2.3",
    pool: { totalCount: 3, idleCount: 2, waitingCount: 0 },
    status: () => world().backend.status(),
  });
});
afterAll(() => void collector.close());

const TRACE = "0af7651916cd43dd8448eb211c80319c";

test("a generation is one trace across its pause, and neither traces nor metrics contain its text", {
  timeout: 30_000,
}, async () => {
  const { token } = await connect(world());
  model.script(
    { text: "SECRET words", calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] },
    { text: "SECRET end." },
  );
  const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
  const turn = await ask(world(), token, "SECRET prompt", { headers: { traceparent } });
  const request = await turn.asked();
  await turn.until("awaiting_approval");
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  await turn.answer(request.interaction_id, { action: "approve" });
  await turn.end();
  const metrics = await (await observing.metrics.text()).text();
  await world().backend.close();
  await observing.close();
  const output = collected.join("\n");
  expect(output).toMatch(/^a key \{"resourceSpans".*"stringValue":"kay-test"/);
  for (const word of ["SECRET", "KAY-3", "close/", token, "Jira"]) expect(output + metrics).not.toContain(word);
  const spans = collected.flatMap(
    (body) => JSON.parse(body.slice(6)).resourceSpans[0].scopeSpans[0].spans as SentSpan[],
  );
  const ownSpans = spans.filter(({ traceId }) => traceId === TRACE);
  const names = [...new Set(ownSpans.map(({ name }) => name))].sort();
  expect(names).toEqual([
    "POST /ask",
    "chat scripted",
    "generation",
    "invoke_agent scripted",
    "step",
    "step 1",
    "tool jira.close_issue",
  ]);
  expect(ownSpans.filter(({ name }) => name === "generation").length).toBeGreaterThan(1);
  const above = (name: string) =>
    ownSpans.find(({ spanId }) => spanId === ownSpans.find((span) => span.name === name)?.parentSpanId)?.name;
  expect(["tool jira.close_issue", "step", "generation"].map(above)).toEqual(["step", "generation", "POST /ask"]);
  expect(ownSpans.find(({ name }) => name === "POST /ask")?.parentSpanId).toBe("b7ad6b7169203331");
  const lines = metrics.split("\n");
  for (const line of [
    'kay_http_requests_total{method="POST",route="/ask",status="200"} 1',
    'kay_http_requests_total{method="POST",route="/sessions/:id/interactions/:interaction_id",status="200"} 1',
    'kay_generation_seconds_count{status="completed"} 1',
    "kay_steps_total 2",
    'kay_model_call_seconds_count{model="openai-compatible:scripted",outcome="ok"} 2',
    'kay_tool_calls_total{tool="jira.close_issue",outcome="ok"} 1',
    'kay_effects_total{state="planned"} 1',
    'kay_effects_total{state="sent"} 1',
    'kay_effects_total{state="settled"} 1',
    'kay_interactions_total{event="opened"} 1',
    'kay_interactions_total{event="answered"} 1',
    "kay_streams 0",
    "kay_nodes 1",
    "kay_database_up 1",
    'kay_database_connections{state="open"} 3',
    'kay_info{version="1.2.3"} 1',
  ])
    expect(lines.filter((line) => line.startsWith("kay") && !line.includes("_bucket")).join("\n")).toContain(line);
});

test("the operator's document has every metric, with its kind, its labels and its meaning", () => {
  const rows = [...read("docs/operating.md").text.matchAll(/^\| `(kay_\w+)` *\| (\w+) *\| (.*?) *\| (.*?) *\|$/gm)];
  const documented = rows.map(([, name, kind, labels = "", help]) => [
    name,
    kind,
    [...labels.matchAll(/`(\w+)`/g)].map((match) => match[1]),
    help,
  ]);
  expect(documented).toEqual(
    Object.entries(METRICS).map(([name, { kind, labels, help }]) => [name, kind, [...labels], help]),
  );
});
