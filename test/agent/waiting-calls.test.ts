import { expect, test } from "vitest";
import type { CallPorts, CheckedCall } from "#agent/calls/checked-call";
import { runCalls } from "#agent/calls/execute";
import type { Wait } from "#agent/events";
import type { AgentTool } from "#agent/tool";

const write = (toolCallId: string, run: () => Promise<void>): CheckedCall => {
  const tool = {
    name: "jira.close_issue",
    service: "jira",
    title: "Jira",
    access: "write",
    run: async () => {
      await run();
      return { data: {}, text: "Closed." };
    },
  };
  const call = { toolCallId, toolName: tool.name, input: { issue: toolCallId }, summary: `Close ${toolCallId}` };
  return { ...call, access: "write", parsed: call.input, tool: tool as unknown as AgentTool };
};

const approval = (toolCallId: string, expiresAt: number): Wait => ({ kind: "approval", toolCallId, expiresAt });

test("a call that asks anew while the open requests are read is not tried again for the earlier answer", async () => {
  const [ran, loaded] = [Promise.withResolvers<void>(), Promise.withResolvers<Map<string, Wait>>()];
  const askedAnew = Promise.withResolvers<void>();
  const loads: (Map<string, Wait> | Promise<Map<string, Wait>>)[] = [
    new Map([["second", approval("second", 1)]]),
    loaded.promise,
  ];
  const tried: string[] = [];
  let retry = () => {};
  const ports: Partial<CallPorts> = {
    findOutcome: () => undefined,
    findUnreviewedOutcome: () => undefined,
    loadOpenRequests: async () => (await loads.shift()) ?? new Map(),
    askTogether: async () => [],
    gate: async ({ toolCallId, parsed }) => {
      tried.push(toolCallId);
      if (toolCallId === "first") return { kind: "run", input: parsed };
      askedAnew.resolve();
      return { kind: "wait", wait: approval("second", 2) };
    },
    reviewOutcome: async (_, outcome) => outcome,
    attend: () => ({ interaction: { available: false } }) as unknown as ReturnType<CallPorts["attend"]>,
    onChange: (again) => {
      retry = again;
      return () => {};
    },
  };
  const run = { memory: [], signal: new AbortController().signal, ports: ports as CallPorts };
  const started = Promise.withResolvers<void>();
  const first = write("first", async () => {
    started.resolve();
    await ran.promise;
  });
  const calls = runCalls([first, write("second", async () => {})], run);
  const end = (async () => {
    for (;;) {
      const step = await calls.next();
      if (step.done) return step.value;
    }
  })();
  await started.promise;
  // The second one is answered while the first one runs: its rows are read before it asks anew.
  retry();
  ran.resolve();
  await askedAnew.promise;
  loaded.resolve(new Map());
  expect(await end).toEqual({ waits: [approval("second", 2)] });
  expect(tried).toEqual(["first", "second"]);
});
