import { afterAll, expect, test, vi } from "vitest";
import { type AgentTurn, startSeedAgent } from "#test/agent-server";
import { openInk } from "#test/ink";
import { type Machine, useKay } from "#test/kay";
import { typeLines } from "#test/session";

const kay = useKay();
const agent = await startSeedAgent();
afterAll(() => agent.close());
vi.setConfig({ testTimeout: 60_000 });

function ann(): Machine {
  const machine = kay({
    signedIn: true,
    agent: { url: agent.url, password: agent.password },
    elsewhere: (url, init) => fetch(url, init),
  });
  machine.place.network.serve(agent.url, (request) => fetch(request));
  agent.deliver = (request) => machine.place.backend.fetch(request);
  return machine;
}

/** Sends it in pieces, the last of which waits for a signal. */
function sendInPieces(pieces: string[], word?: Promise<void>) {
  return async ({ stream, report }: AgentTurn) => {
    stream({ type: "text-start", id: "text-1" });
    for (const [time, text] of pieces.entries()) {
      if (time === pieces.length - 1) await word;
      stream({ type: "text-delta", id: "text-1", text });
    }
    stream({ type: "text-end", id: "text-1" });
    await report({ type: "text", id: "text-1", text: pieces.join("") });
    stream({ type: "finish" });
  };
}

const count = (text: string, word: string) => text.split(word).length - 1;

test("two sessions see the turns of an agent server once: the asking one piece by piece, the other from reports", async () => {
  const machine = ann();
  const first = await openInk(machine, "ask");
  await first.sees("● jira");
  const word = Promise.withResolvers<void>();
  agent.script = sendInPieces(["First para.\n\nSecond ", "para."], word.promise);
  first.enter("tell me");
  await first.sees("First para.");
  const two = await openInk(machine, "attach");
  await two.sees("> tell me");
  expect(await two.all()).not.toContain("First para.");
  word.resolve();
  for (const ink of [first, two]) {
    await ink.sees("Second para.");
    await ink.sheds("working");
  }
  agent.script = sendInPieces(["And ", "more."]);
  first.enter("go on");
  for (const ink of [first, two]) {
    await ink.sees("And more.");
    await ink.sheds("working");
    const all = await ink.all();
    expect(
      ["> tell me", "First para.", "Second para.", "> go on", "And more."].map((text) => count(all, text)),
    ).toEqual([1, 1, 1, 1, 1]);
  }
  await first.leave();
  await two.leave();
});

test("a turn that is stopped ends at the backend and at the agent server", async () => {
  const machine = ann();
  const ink = await openInk(machine, "ask");
  await ink.sees("● jira");
  agent.script = sendInPieces(["Begun.\n\n", "Never."], new Promise(() => {}));
  const cutSignal = Promise.withResolvers<void>();
  agent.closed = cutSignal.resolve;
  ink.enter("for ever");
  await ink.sees("Begun.");
  ink.type("\x1b");
  await ink.sheds("working");
  await ink.shows(/canceled/i);
  await cutSignal.promise;
  await ink.leave();
});

test("a line session shows it like any other turn", async () => {
  const machine = ann();
  agent.script = sendInPieces(["Hello ", "there."]);
  await machine("ask", typeLines(["hello", "/quit"]));
  expect(count(machine.raw().both, "Hello there.")).toBe(1);
});
