import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { begins, brings, calls, createText, ends, IDS, sse, status } from "#test/parts";

const kay = useKay();
const TERMINAL = { terminal: true, env: { NO_COLOR: "1" } };
const TABLE = "4 issues are open:\n\n| Key | Summary |\n|---|---|\n| KAY-1 | Login loops |\n\nThat is all.";

const ANSWER: StreamPart[] = [
  ...begins(),
  calls("jira.search", { project: "KAY", status: "open" }),
  brings({ data: { issues: [1, 2, 3, 4] }, text: "…" }),
  ...createText("4 issues", " are open:\n\n| Key | Summary |\n|---|-", "--|\n| KAY-1 | Login loops |\n\nThat is all."),
  ...ends(),
];

function askWith(...streams: { stream: Iterable<string> | AsyncIterable<string>; headers?: Record<string, string> }[]) {
  const ann = kay({ signedIn: true });
  ann.place.network.on("POST /ask", ...streams);
  return ann;
}

test("on a terminal the answer is formatted, and each call has its line", async () => {
  expect(await askWith({ stream: sse(ANSWER) })('ask "what is open?"', TERMINAL)).toEqual({
    exit: 0,
    stdout: "4 issues are open:\n\nKEY    SUMMARY\nKAY-1  Login loops\n\nThat is all.\n",
    stderr: "⏺ jira.search  project = KAY, status = open  0.0s  4 issues\n",
  });
});

test("every line fits 40 columns", async () => {
  const { stdout, stderr } = await askWith({ stream: sse(ANSWER) })('ask "what is open?"', {
    ...TERMINAL,
    columns: 40,
  });
  expect(stdout).toBe("4 issues are open:\n\nKEY    SUMMARY\nKAY-1  Login loops\n\nThat is all.\n");
  expect(stderr).toBe("⏺ jira.search  project…  0.0s  4 issues\n");
});

test("the line of a call is redrawn in place while it runs, and printed once at its end", async () => {
  const ann = askWith({ stream: sse(ANSWER) });
  await ann('ask "what is open?"', TERMINAL);
  const working = "⏺ jira.search  project = KAY, status = open  …";
  const toolRow = "⏺ jira.search  project = KAY, status = open  0.0s  4 issues";
  expect(ann.raw().stderr).toBe(`\r\u001b[2K${working}\r\u001b[2K${toolRow}\n${working}\r\u001b[2K`);
});

test("in a pipe the Markdown is unchanged, and nothing else is printed", async () => {
  expect(await askWith({ stream: sse(ANSWER) })('ask "what is open?"')).toEqual({
    exit: 0,
    stdout: `${TABLE}\n`,
    stderr: "",
  });
});

test("a stream without event numbers is shown like any other, and so is an error in it", async () => {
  const unnumbered = [...sse(ANSWER)].map((event) => event.replace(/^id: .*\n/, ""));
  expect(await askWith({ stream: unnumbered })('ask "what is open?"')).toEqual({
    exit: 0,
    stdout: `${TABLE}\n`,
    stderr: "",
  });
  const refused = ['{"error": {"code": "prohibited_content", "message": "It was refused."}}\n'];
  expect(await askWith({ stream: refused })("ask x")).toMatchObject({ exit: 1, stdout: "" });
});

test("each block is on the screen before the next one arrives", async () => {
  const chunks: string[] = [];
  const pieces = ["One.\n\n", "Two", " more.\n\n", "Three."];
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    for (const event of sse([...begins(), ...createText(...pieces), ...ends()])) {
      yield event;
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (event.includes("text-delta")) chunks.push(ann.raw().stdout);
    }
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  const { stdout } = await ann('ask "count"', TERMINAL);
  expect(chunks).toEqual(["One.\n", "One.\n", "One.\n\nTwo more.\n", "One.\n\nTwo more.\n"]);
  expect(stdout).toBe("One.\n\nTwo more.\n\nThree.\n");
});

test("an interrupted stream is resumed, and nothing is repeated", async () => {
  const cutStream = async function* () {
    yield* sse(ANSWER.slice(0, 6), { ends: false });
    throw new Error("cut");
  };
  const ann = askWith({ headers: { "kay-session-id": "session_1" }, stream: cutStream() });
  ann.place.network.on("GET /sessions/session_1/events", { stream: sse(ANSWER.slice(6), { first: 7 }) });
  const { exit, stdout, stderr } = await ann('ask "what is open?"');
  expect([exit, stdout]).toEqual([0, `${TABLE}\n`]);
  expect(stderr).toMatch(/connect/i);
});

test("--json prints one document: the guide's answer, the generation and its receipts", async () => {
  const receipt = { tool_call_id: "c1", tool: "jira.add", effect: "settled" as const, summary: "Add it" };
  const parts = [...begins(), ...createText("Done."), { type: "data-receipt" as const, data: receipt }, ...ends()];
  const result = await askWith({ stream: sse(parts) })('ask "add it" --json');
  expect({ ...result, stdout: parseDocument(result) }).toEqual({
    exit: 0,
    stdout: {
      status: "completed",
      message: "Done.",
      session_id: "session_1",
      data: { prompt: "add it", response: "Done." },
      generation_id: "gen_1",
      receipts: [receipt],
    },
    stderr: "",
  });
});

test("--json --stream prints each part as a line with the conversation and the time", async () => {
  const parts = [...begins(), ...createText("a\u202e")];
  const { stdout, stderr, exit } = await askWith({ stream: sse([...parts, { type: "finish" }]) })(
    "ask x --json --stream",
  );
  const lines = stdout.trimEnd().split("\n");
  expect({ exit, stderr, lines: lines.map((line) => JSON.parse(line)) }).toEqual({
    exit: 0,
    stderr: "",
    lines: [...parts, { type: "finish" }].map((part) => ({
      ...part,
      session_id: "session_1",
      timestamp: expect.stringMatching(/^2026-11-27T12:/),
    })),
  });
  expect(stdout).toContain('"delta":"a\\u202e"');
});

test.for([
  ["text", "", "Half"],
  ["one document", " --json", ""],
])(
  "a stream that ends with an error has its exit code, sentence and hint, as %s",
  async ([, flags = "", sentence = ""]) => {
    const parts: StreamPart[] = [
      ...begins(),
      ...createText("Half"),
      status("error"),
      { type: "error", errorText: "The model is away.", code: "MODEL_FAILED", hint: "Wait for it." },
    ];
    const { exit, stdout, stderr } = await askWith({ stream: sse(parts) })(`ask x${flags}`);
    expect([exit, stderr]).toEqual([1, "✗ The model is away.\n  Wait for it.\n"]);
    if (sentence) expect(stdout).toBe(`${sentence}\n`);
    else
      expect(JSON.parse(stdout)).toEqual({
        status: "error",
        error: "MODEL_FAILED",
        code: "MODEL_FAILED",
        message: "The model is away.",
        hint: "Wait for it.",
        ...IDS,
        text: "Half",
        receipts: [],
      });
  },
);

test("with --json --stream the error is the last line, and nothing follows it on stdout", async () => {
  const parts: StreamPart[] = [...begins(), { type: "error", errorText: "No.", code: "MODEL_FAILED" }];
  const { exit, stdout } = await askWith({ stream: sse(parts) })("ask x --json --stream");
  const lines = stdout.trimEnd().split("\n");
  expect([exit, lines.length, JSON.parse(lines.at(-1) ?? "")]).toMatchObject([
    1,
    3,
    { type: "error", errorText: "No." },
  ]);
});

test("a generation cancelled elsewhere exits 5", async () => {
  const parts: StreamPart[] = [...begins(), status("cancelled"), { type: "abort", reason: "cancelled" }];
  expect(await askWith({ stream: sse(parts) })("ask x")).toEqual({
    exit: 5,
    stdout: "",
    stderr: "✗ The request was canceled.\n",
  });
});

/** Creates a user for whom `then` happens once these parts have arrived, without further parts. */
function interruptAfter(parts: StreamPart[], then: (ann: Machine) => void): Machine {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse(parts, { ends: false });
    await new Promise((resolve) => setTimeout(resolve, 20));
    then(ann);
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  return ann;
}

/** Presses Ctrl+C; no time passes until the backend receives it and does this. */
function pressCtrlC(reply: Reply): (ann: Machine) => void {
  return (ann) => {
    const { clock, network } = ann.place;
    const heard = new Promise<void>((resolve) => {
      network.on("POST /generations/gen_1/cancel", () => {
        resolve();
        return reply;
      });
    });
    void clock.during(heard);
    ann.interrupt();
  };
}

test("Ctrl+C cancels the generation at the backend and exits 130", async () => {
  const json = { id: "gen_1", session_id: "session_1", status: "cancelled" };
  const ann = interruptAfter([...begins(), ...createText("Half a")], pressCtrlC({ json }));
  expect(await ann("ask x")).toEqual({ exit: 130, stdout: "Half a\n", stderr: "" });
});

test("a backend that does not answer the cancel is waited for two seconds", async () => {
  const ann = interruptAfter(begins(), pressCtrlC("hang"));
  await ann("whoami");
  const begun = ann.place.clock.now();
  expect((await ann("ask x")).exit).toBe(130);
  expect(ann.place.clock.now() - begun).toBeGreaterThanOrEqual(2_000);
  expect(ann.place.clock.now() - begun).toBeLessThan(10_000);
});

test("a closed terminal cancels nothing", async () => {
  const ann = interruptAfter(begins(), ({ interrupt }) => interrupt("SIGHUP"));
  expect((await ann("ask x")).exit).toBe(129);
});

test("a question continues the latest conversation, or one by ID or title, and waits if told to", async () => {
  const ann = askWith(...[1, 2, 3].map(() => ({ stream: sse([...begins(), ...createText("Yes."), ...ends()]) })));
  const timestamp = "2026-11-27T12:00:00.000Z";
  const conversation = (id: string, title: string) => ({
    id,
    title,
    created_at: timestamp,
    updated_at: timestamp,
    last_event: 1,
  });
  const data = [conversation("session_2", "Bugs"), conversation("session_1", "Release")];
  ann.place.network.always("GET /sessions", { json: { data, page: 1, limit: 1, total: 2, has_more: false } });
  await ann("ask x --continue --queue");
  await ann("ask x -r session_7_a");
  await ann("ask x -r release");
  const bodies = ann.place.network.seen.filter(({ method }) => method === "POST").map(({ body }) => body);
  expect(bodies).toMatchObject([
    { session_id: "session_2", when_busy: "queue", client: { interaction: { supported: true, enabled: true } } },
    { session_id: "session_7_a" },
    { session_id: "session_1" },
  ]);
  expect(await ann("ask x -r holidays")).toEqual({
    exit: 1,
    stdout: "",
    stderr: '✗ No conversation matches "holidays".\n  Run `kay sessions list` to list them.\n',
  });
});

test.for([
  ["ask x --stream", "--stream requires --json."],
  ["ask x --confirm --queue", "--confirm cannot be combined with --stream or --queue."],
  ["ask x -c -r latest", "Use either --continue or --resume, not both."],
])("kay %s is a usage error", async ([line = "", message = ""]) => {
  expect(await kay({ signedIn: true })(line)).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
});

test("with --json --stream a failure before the first part is one line, and so are an answer without a stream and a warning", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const lines = async (line: string) => {
    const { exit, stdout } = await ann(line);
    return {
      exit,
      lines: stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    };
  };
  ann.place.network.on("POST /ask", { json: { status: "completed", message: "Hello." } });
  expect(await lines("ask x --json --stream")).toEqual({
    exit: 0,
    lines: [
      { type: "answer", session_id: null, timestamp: expect.any(String), status: "completed", message: "Hello." },
    ],
  });
  ann.place.network.always("", "refused");
  const failure = {
    type: "error",
    timestamp: expect.any(String),
    status: "error",
    code: "UNREACHABLE",
    hint: expect.any(String),
  };
  for (const line of ["ask x --json --stream", "attach session_1 --json"])
    expect(await lines(line)).toEqual({ exit: 6, lines: [expect.objectContaining(failure)] });
  expect((await lines("ask --json --stream")).lines).toEqual([
    expect.objectContaining({ type: "error", code: "USAGE" }),
  ]);
});
