import { expect, test } from "vitest";
import { askThrough } from "#test/durable/client";
import type { ModelAsk, ModelStep } from "#test/durable/outside";
import { usePlace } from "#test/durable/place";
import type { BackendProcess } from "#test/durable/processes";
import { faultsOf } from "#test/durable/whole";

const FIRST = ["Let me ", "look — ", "żółć ", "👩‍👩‍👧 ", "at it."];
const LAST = ["KAY-3 ", "is closed ", "now: ", "日本語."];

const place = usePlace(script);
let running: BackendProcess | undefined;
let count = 0;

/** One step with text, a read and a write; then the answer. */
function script({ results }: ModelAsk): ModelStep {
  if (results > 0) return { text: LAST };
  const input = { issue: "KAY-3" };
  return {
    text: FIRST,
    calls: [
      ["show", "jira.show_issue", input],
      ["close", "jira.close_issue", input],
    ],
  };
}

/** Where the write may have left: what became of it is not known, and it is not sent again. */
const MAY_HAVE_LEFT = [
  "sent after",
  "service before",
  "service arrived",
  "service answered",
  "service piece",
  "service after",
  "settled before",
];

for (const [at, time] of [
  ["model before", 1],
  ["model answered", 1],
  ["model piece", 4],
  ["model piece", 7],
  ["model piece", 9],
  ["model after", 1],
  ["model before", 2],
  ["model piece", 13],
  ["model piece", 16],
  ["model after", 2],
  ["service before", 1],
  ["service answered", 1],
  ["service after", 1],
  ...[
    "generation",
    "begin",
    "claim",
    "events",
    "step-open",
    "interaction",
    "pause",
    "answer",
    "planned",
    "sent",
    "settled",
    "outcome",
    "step",
    "finish",
  ].flatMap((name): [string, number][] => [
    [`${name} before`, 1],
    [`${name} after`, 1],
  ]),
  ["claim before", 2],
  ["claim after", 2],
  ["outcome before", 2],
  ["outcome after", 2],
  ["step before", 2],
  ["step after", 2],
] as [string, number][])
  test(`killed at ${at} (${time}), another process goes on: one effect, no gap, nothing said twice`, {
    timeout: 60_000,
  }, async () => {
    const { service, database, token } = place();
    const before = service.arrived.length;
    if (running?.alive()) await running.rearm({ at, time });
    else running = await place().start({ at, time });
    const victim = running;
    let next: Promise<BackendProcess> | undefined;
    const backend = async () => {
      if (!victim.alive()) {
        next ??= place().start();
        running = await next;
      }
      return running as BackendProcess;
    };
    const seen = await askThrough({ token, backend }, `go ${++count}`);
    if (process.env.SHOW) console.log(seen.parts.map((p) => p.type).join(" "), victim.log, running?.log);
    expect({ killed: !victim.alive(), faults: await faultsOf(database, seen, [...FIRST, ...LAST].join("")) }).toEqual({
      killed: true,
      faults: [],
    });
    const receipts = seen.parts.flatMap((part) => (part.type === "data-receipt" ? [part.data.effect] : []));
    const arrived = service.arrived.length - before;
    expect({ last: receipts.at(-1), arrived }).toEqual(
      MAY_HAVE_LEFT.includes(at) ? { last: "unknown", arrived } : { last: "settled", arrived: 1 },
    );
    expect(arrived).toBeLessThanOrEqual(1);
  });
