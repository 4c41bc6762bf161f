import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { parseDocument, type Result, useKay } from "#test/kay";
import { approval, begins, brings, calls, createText, ends, IDS, sse } from "#test/parts";

const kay = useKay();
const WHY = "No channel in Slack is called “#ci”.";

test("N29 a write that the service refuses exits with 1, although the answer is friendly", async () => {
  const ann = kay({ signedIn: true });
  await ann("policy set jira everything");
  const result = await ann('ask "comment on KAY-999: hello"');
  const reason = "Jira: Issue does not exist or you do not have permission to see it.";
  expect(result).toEqual({
    exit: 1,
    stdout: expect.stringMatching(`^That did not work: ${reason}`),
    stderr: `✗ A change failed: ${reason}\n  Correct the request and ask again.\n`,
  });
  expect(parseDocument(await ann('ask --json "comment on KAY-999: hello"'))).toMatchObject({
    status: "error",
    message: `A change failed: ${reason}`,
    text: expect.stringMatching(/^That did not work: /),
    receipts: [],
  });
});

type Step = "planned" | "sent" | "settled" | "unknown";
const sends = (call: string, channel: string): StreamPart => calls("slack.send_message", { channel }, call);
const receipt = (tool_call_id: string, effect: Step): StreamPart => ({
  type: "data-receipt",
  data: { tool_call_id, tool: "slack.send_message", effect, summary: "Send a message" },
});
const fails = (toolCallId: string, code = "NOT_FOUND", overrides = {}): StreamPart => ({
  type: "tool-output-error",
  toolCallId,
  errorText: WHY,
  code,
  ...overrides,
});
const succeedCall = (call: string) => brings({ from: "slack", text: "Sent.", data: {} }, call);

async function ask(parts: StreamPart[], options = "--json"): Promise<Result> {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", { stream: sse([...begins(), ...parts, ...createText("All well."), ...ends()]) });
  return ann(`ask ${options} "send it"`);
}

test.each<[string, StreamPart[], { exit: number; code?: string }]>([
  ["was never sent", [sends("c1", "#ci"), receipt("c1", "planned"), fails("c1")], { exit: 1, code: "NOT_FOUND" }],
  [
    "was refused once it was sent",
    [sends("c1", "#ci"), receipt("c1", "sent"), fails("c1", "SERVICE_FAILED")],
    { exit: 1, code: "SERVICE_FAILED" },
  ],
  [
    "may have been made",
    [sends("c1", "#ci"), receipt("c1", "unknown"), fails("c1", "OUTCOME_UNKNOWN")],
    { exit: 1, code: "OUTCOME_UNKNOWN" },
  ],
  [
    "did not fit its tool, which is no fault of the script",
    [sends("c1", "#ci"), fails("c1", "INVALID_REQUEST", { access: "write" })],
    { exit: 1, code: "SERVICE_FAILED" },
  ],
  [
    "was refused for now, which is no fault of the network",
    [sends("c1", "#ci"), fails("c1", "RATE_LIMITED", { access: "destructive" })],
    { exit: 1, code: "SERVICE_FAILED" },
  ],
  [
    "failed beside one that worked",
    [
      ...[sends("c1", "#ci"), sends("c2", "#general"), receipt("c1", "planned"), receipt("c2", "planned")],
      ...[fails("c1"), receipt("c2", "settled"), succeedCall("c2")],
    ],
    { exit: 1, code: "NOT_FOUND" },
  ],
  [
    "failed after one that worked",
    [
      sends("c1", "#general"),
      receipt("c1", "settled"),
      succeedCall("c1"),
      sends("c2", "#ci"),
      receipt("c2", "planned"),
      fails("c2"),
    ],
    { exit: 1, code: "NOT_FOUND" },
  ],
  [
    "was corrected",
    [
      sends("c1", "#ci"),
      receipt("c1", "planned"),
      fails("c1"),
      sends("c2", "#general"),
      receipt("c2", "settled"),
      succeedCall("c2"),
    ],
    { exit: 0 },
  ],
  ["found nothing to do", [sends("c1", "#ci"), receipt("c1", "planned"), succeedCall("c1")], { exit: 0 }],
])("N29 exit code of an answer in which a write %s", async (_, parts, { exit, code }) => {
  const result = await ask(parts);
  expect(result.exit).toBe(exit);
  expect(parseDocument(result)).toMatchObject(
    code === undefined
      ? { status: "completed", message: "All well." }
      : { status: "error", code, message: `A change failed: ${WHY}`, text: "All well.", ...IDS },
  );
});

test("a failed read exits with 1 if no other call succeeded", async () => {
  const failed = [calls("slack.search", {}), fails("c1", "NOT_FOUND", { access: "read" })];
  expect(parseDocument(await ask(failed))).toMatchObject({ code: "NOT_FOUND", message: `A read failed: ${WHY}` });
  expect(await ask(failed, "")).toMatchObject({ exit: 1, stdout: "All well.\n" });
  const other = [calls("slack.list_channels", {}, "c2"), succeedCall("c2")];
  expect(await ask([...failed, ...other])).toMatchObject({ exit: 0 });
});

test("N29 a denial keeps its exit code", async () => {
  const denied: StreamPart = {
    type: "data-interaction-response",
    data: { interaction_id: "int_1", action: "deny", answered_at: "2026-11-27T12:00:00.000Z" },
  };
  const parts: StreamPart[] = [
    sends("c1", "#ci"),
    approval(),
    denied,
    { type: "tool-output-denied", toolCallId: "c1" },
  ];
  expect(await ask(parts, "")).toMatchObject({ exit: 5 });
});

test("N29 with one line per part, the failure is the last line", async () => {
  const result = await ask([sends("c1", "#ci"), receipt("c1", "planned"), fails("c1")], "--json --stream");
  const last = JSON.parse(result.stdout.trim().split("\n").at(-1) ?? "");
  expect(result.exit).toBe(1);
  expect(last).toMatchObject({ type: "error", code: "NOT_FOUND", errorText: `A change failed: ${WHY}` });
});
