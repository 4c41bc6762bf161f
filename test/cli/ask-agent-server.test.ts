import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "#protocol/errors";
import { type AgentTurn, startSeedAgent } from "#test/agent-server";
import { type Machine, parseDocument, useKay } from "#test/kay";
import { openHost } from "#test/mcp-host";

const kay = useKay();
const agent = await startSeedAgent();
afterAll(() => agent.close());
beforeEach(() => {
  agent.script = hello;
  for (const list of [agent.sessions, agent.prompts, agent.answers, agent.streams, agent.instead]) list.length = 0;
});

/** A user signed in at a backend with the agent server, which they reach directly unless `here` is false. */
function ann({ here = true } = {}): Machine {
  const machine = kay({
    signedIn: true,
    agent: { url: agent.url, password: agent.password },
    elsewhere: (url, init) => fetch(url, init),
  });
  const { network, backend } = machine.place;
  network.serve(agent.url, here ? (request) => fetch(request) : () => Promise.reject(createRefusal()));
  agent.deliver = (request) => backend.fetch(request);
  return machine;
}

function createRefusal(): Problem {
  return new Problem("UNREACHABLE", "Cannot reach it.", { details: { sent: false, errno: "ECONNREFUSED" } });
}

const sayPieces = (turn: AgentTurn, ...pieces: string[]) => {
  turn.stream({ type: "text-start", id: "text-1" });
  for (const text of pieces) turn.stream({ type: "text-delta", id: "text-1", text });
};

async function hello(turn: AgentTurn): Promise<void> {
  sayPieces(turn, "I'll ", "help.");
  turn.stream({ type: "text-end", id: "text-1" });
  await turn.report({ type: "text", id: "text-1", text: "I'll help." });
  turn.stream({ type: "finish", finishReason: "stop" });
}

/** The backend's data of the latest conversation. */
async function showLatest(machine: Machine): Promise<string> {
  return (await machine("sessions show latest")).stdout;
}

describe("a request at a backend with an agent server", () => {
  test("is streamed directly from there, without the sign-in, and stored by the webhook", async () => {
    const machine = ann();
    expect(await machine('ask "help me"')).toEqual({ exit: 0, stdout: "I'll help.\n", stderr: "" });
    expect([agent.prompts, agent.streams, agent.answers]).toEqual([
      ["help me"],
      [{ authorization: undefined, token: expect.stringMatching(/^stream-token-\d+$/) }],
      [{ status: 200, body: { success: true } }],
    ]);
    expect(machine.place.network.calls().filter((call) => call.startsWith("POST /ask"))).toEqual(["POST /ask"]);
    expect(await showLatest(machine)).toContain("I'll help.");
  });

  test("continues in the same session with a fresh token for the stream and for the webhook", async () => {
    const machine = ann();
    await machine('ask "one"');
    const first = parseDocument(await machine('ask -c "two" --json'));
    expect(first).toMatchObject({ status: "completed", message: "I'll help.", data: { prompt: "two" } });
    const [one, two] = agent.sessions;
    expect([agent.prompts, one?.sessionId]).toEqual([["one", "two"], two?.sessionId]);
    expect(one?.webhookUrl).not.toBe(two?.webhookUrl);
    expect(agent.streams[0]?.token).not.toBe(agent.streams[1]?.token);
  });

  test("has its calls and their results, in both notations of the AI SDK", async () => {
    const machine = ann();
    agent.script = async ({ stream, report }) => {
      stream({ type: "tool-call", toolCallId: "c1", toolName: "search\u001b[2J", input: { query: "KAY" } });
      stream({ type: "tool-result", toolCallId: "c1", toolName: "search", output: { found: 2 } });
      stream({ type: "text-start", id: "0" });
      stream({ type: "text-delta", id: "0", delta: "\u001b]0;mine\u0007Two." });
      stream({ type: "text-end", id: "0" });
      await report({ type: "text", id: "0", text: "\u001b]0;mine\u0007Two." });
      stream({ type: "finish" });
    };
    const { stdout, stderr, exit } = await machine('ask "search"', { terminal: true, env: { NO_COLOR: "1" } });
    expect([exit, stdout, stderr]).toEqual([0, "Two.\n", "⏺ search  query = KAY  0.0s\n"]);
    expect(machine.raw().both).not.toContain("mine");
  });

  test("whose stream breaks off is completed from the agent server's reports, and nothing is repeated", async () => {
    const machine = ann();
    agent.script = async (turn) => {
      sayPieces(turn, "I'll ");
      await new Promise((resolve) => setTimeout(resolve, 50));
      turn.cut();
      await turn.report({ type: "text", id: "text-1", text: "I'll help." });
      await turn.report({ type: "finish" });
    };
    const { exit, stdout, stderr } = await machine('ask "help me"');
    expect([exit, stdout, agent.prompts]).toEqual([0, "I'll help.\n", ["help me"]]);
    expect(stderr).toMatch(
      /^! The agent server at 127\.0\.0\.1:\d+ ended the stream early.*; the rest comes through the backend\.\n$/,
    );
  });

  test("whose reports overtake its stream is one text", async () => {
    agent.script = async (turn) => {
      sayPieces(turn, "I'll ");
      await turn.report({ type: "text", id: "text-1", text: "I'll help." });
      const closed = new Promise<void>((resolve) => {
        agent.closed = resolve;
      });
      await turn.report({ type: "finish" });
      await closed;
    };
    expect(await ann()('ask "help me"')).toMatchObject({ exit: 0, stdout: "I'll help.\n" });
  });

  test.for([
    [
      "refuses the token",
      { status: 401, type: "application/json", text: "{}" },
      "rejected the token of the stream (HTTP 401)",
    ],
    ["is another server", { status: 404, type: "text/html", text: "<h1>404</h1>" }, "rejected the request (HTTP 404)"],
    [
      "redirects",
      { status: 307, type: "text/plain", text: "", location: "http://evil.test/" },
      "answered with a redirect (HTTP 307)",
    ],
  ] as const)("passes through the backend if the agent server %s", async ([, answer, clause]) => {
    const machine = ann();
    agent.instead.push({ ...answer });
    const { exit, stdout, stderr } = await machine('ask "help me"');
    expect([exit, stdout, agent.prompts]).toEqual([0, "I'll help.\n", ["help me"]]);
    expect(stderr).toContain(`${clause}; the answer comes through the backend.`);
    expect(stderr).not.toContain("stream-token");
  });

  test("passes through the backend if the agent server is unreachable from this machine", async () => {
    const machine = ann({ here: false });
    const { exit, stdout, stderr } = await machine('ask "help me"');
    expect([exit, stdout, agent.prompts]).toEqual([0, "I'll help.\n", ["help me"]]);
    expect(stderr).toMatch(
      /cannot be reached from this machine \(ECONNREFUSED\); the answer comes through the backend\.\n$/,
    );
  });

  test("that gets a web page is not sent again: the agent server's reports are shown", async () => {
    const machine = ann();
    agent.instead.push({ status: 200, type: "text/html", text: "<html>", taken: true });
    agent.script = async (turn) => {
      await turn.report({ type: "text", id: "text-1", text: "I'll help." });
      await turn.report({ type: "finish" });
    };
    const { exit, stdout, stderr } = await machine('ask "help me"');
    expect([exit, stdout, agent.prompts]).toEqual([0, "I'll help.\n", ["help me"]]);
    expect(stderr).toContain("answered with a web page instead of a stream; the rest comes through the backend.");
  });

  test("warns that it may not be stored if the token of the webhook has expired", async () => {
    const machine = ann();
    agent.script = async (turn) => {
      sayPieces(turn, "Late.");
      turn.stream({ type: "text-end", id: "text-1" });
      machine.place.clock.advance(11 * 60_000);
      await turn.report({ type: "text", id: "text-1", text: "Late." });
      turn.stream({ type: "finish" });
    };
    const { stdout, stderr } = await machine('ask "help me"');
    expect([stdout, agent.answers.map(({ status }) => status)]).toEqual(["Late.\n", [401]]);
    expect(stderr).toMatch(/conversation may lack it|did not say how the request ended/);
  });

  test("ends with the message of a failing agent server, at the backend too", async () => {
    const machine = ann();
    agent.script = async ({ stream }) => stream({ type: "error", error: "out of order" });
    expect(await machine('ask "help me"')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining("The agent server failed: out of order"),
    });
    // The stream reaches the client before the report reaches the backend.
    await expect.poll(() => showLatest(machine)).toContain("out of order");
  });

  test("a call of another program is made here, not by the agent server", async () => {
    const machine = ann();
    const host = await openHost(machine);
    void host
      .call("call_tool", { name: "jira.transition_issue", input: { issue: "KAY-3", status: "Done" } })
      .catch(() => {});
    const countPending = async () => {
      await machine("pending --json");
      return JSON.parse(machine.raw().stdout).pending.length;
    };
    await expect.poll(countPending).toBe(1);
    expect([agent.sessions, agent.prompts]).toEqual([[], []]);
  });

  test.for(["--dry-run", "--max-steps 2", "--allow slack.send_message"])(
    "is not sent with %s, which nobody would enforce",
    async (option) => {
      const machine = ann();
      const { exit, stderr } = await machine(`ask ${option} "help me"`);
      expect([exit, agent.sessions, machine.place.network.calls()]).toEqual([1, [], ["GET /capabilities"]]);
      expect(stderr).toContain(`which does not support ${option.split(" ")[0]}, so nothing was sent.`);
    },
  );

  test("goes through the backend with piped input", async () => {
    const machine = ann();
    await machine('ask "summarise"', { stdin: "some words" });
    expect(agent.prompts[0]).toContain("some words");
  });

  test("learns that the session is not theirs, or that the agent server is down", async () => {
    const machine = ann();
    expect(await machine("ask --resume session_0 x")).toMatchObject({ exit: 1, stdout: "" });
    agent.password = "another";
    const { exit, stderr } = await machine('ask "help me"');
    agent.password = "agent-password";
    expect([exit, agent.prompts]).toEqual([1, []]);
    expect(stderr).toContain("rejected the password or the token (HTTP 401)");
  });
});
