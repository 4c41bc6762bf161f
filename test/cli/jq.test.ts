import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { useKay } from "#test/kay";
import { begins, createText, ends, sse } from "#test/parts";

const kay = useKay();
const output = (stdout: string) => ({ exit: 0, stdout, stderr: "" });
const SENTENCE = "✗ The command succeeded, but its --jq expression failed:";
const HINT = "  Try the expression on the output of `--json`.";

test.for([
  ["a string is printed raw", ".connections.jira.user.name", "Dana Demo\n"],
  ["everything else is compact JSON, one value on a line", ".connections | length, [1, {a: null}], null, 1.50", null],
  ["nothing is printed for nothing", "empty", ""],
  ["an expression may begin with a dash", "-1", "-1\n"],
  ["and have spaces then", "-(1 + 2)", "-3\n"],
  ["several lines stay what they are", '"a\\nb"', "a\nb\n"],
] as const)("--jq: %s", async ([, expression, stdout]) => {
  const ann = kay({ signedIn: true });
  const result = await ann(["connections", "--jq", expression]);
  expect(result).toEqual(output(stdout ?? `${CONNECTIONS}\n[1,{"a":null}]\nnull\n1.50\n`));
});

const CONNECTIONS = 15;

test("--jq may stand before the command, and with --json", async () => {
  const ann = kay();
  expect(await ann(["--jq", ".path", "config", "path", "--json"])).toEqual(output("/home/ann/kay/config.json\n"));
  expect(await ann(["config", "path", "--jq=.path"])).toEqual(output("/home/ann/kay/config.json\n"));
});

test.for([
  [".[", "syntax error, unexpected end of file (Unix shell quoting issues?)."],
  ["nosuch", "nosuch/0 is not defined."],
  ['import "x" as x; .', "module not found: x (Could not expand ~/.jq. (Could not find home directory.))."],
  ["", 'Top-level program not given (try ".").'],
])("--jq %s does not compile, which is a usage error before anything is done", async ([expression = "", reason]) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const callCount = ann.place.network.calls().length;
  expect(await ann(["ask", "--jq", expression, "create a task in KAY: Never"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ The --jq expression does not compile: ${reason}\n  For the syntax, see https://jqlang.org/manual\n`,
  });
  expect(ann.place.network.calls().length).toBe(callCount);
});

test("--jq filters the JSON of help and the version too", async () => {
  expect(await kay()(["--version", "--jq", ".version"])).toEqual(output("0.0.0-test\n"));
  expect(await kay()(["ask", "--help", "--jq=.name"])).toEqual(output("kay ask\n"));
  expect(await kay()(["--help", "--jq", ".["])).toMatchObject({ exit: 2, stdout: "" });
});

test("--jq without an expression is a usage error", async () => {
  expect(await kay()("connections --jq")).toMatchObject({ exit: 2, stdout: "" });
});

test("an expression that fails on the document exits 1 and says that the command succeeded; earlier output stays", async () => {
  expect(
    await kay({ signedIn: true })([
      "connections",
      "--jq",
      ".connections.jira.connected, .connections.x.y.z[0], (.connections|.[0])",
    ]),
  ).toEqual({
    exit: 1,
    stdout: "true\nnull\n",
    stderr: `${SENTENCE} Cannot index object with number.\n${HINT}\n`,
  });
});

test.for([
  ['error("no")', "no."],
  ["error({a: 1})", '{"a":1}.'],
  ['"I stop" | halt_error', "I stop."],
  ["input", "break."],
  ["def f: [f]; f", "it needed more than 512 MB of memory."],
])("%s fails with one sentence", async ([expression = "", reason]) => {
  expect(await kay()(["config", "path", "--jq", expression])).toEqual({
    exit: 1,
    stdout: "",
    stderr: `${SENTENCE} ${reason}\n${HINT}\n`,
  });
});

test("an endless expression is ended", { timeout: 60_000 }, async () => {
  expect(await kay()(["config", "path", "--jq", "last(range(1e12))"])).toEqual({
    exit: 1,
    stdout: "",
    stderr: `${SENTENCE} it did not finish within 10 seconds.\n${HINT}\n`,
  });
});

test("Ctrl+C ends an expression", async () => {
  const ann = kay();
  const ended = ann(["config", "path", "--jq", "last(range(1e12))"]);
  setTimeout(() => ann.interrupt(), 1_000);
  expect(await ended).toEqual({ exit: 130, stdout: "", stderr: "" });
});

test("an expression cannot see the environment", async () => {
  expect(await kay({ env: { SECRET: "s" } })(["config", "path", "--jq", "$ENV, env"])).toEqual(output("{}\n{}\n"));
});

test("control characters are never written raw to a terminal, and a pipe gets the exact value", async () => {
  const expression = '"a\\u001b[31mb\\u202ec", ["\\u202e"]';
  const ann = kay();
  expect((await ann(["config", "path", "--jq", expression])).stdout).toBe('a\u001b[31mb\u202ec\n["\\u202e"]\n');
  const { stdout } = await ann(["config", "path", "--jq", expression], { terminal: true });
  expect(stdout).toBe('abU+202Ec\n["\\u202e"]\n');
});

test("a failure has no document: the message is on stderr, with its exit code", async () => {
  expect(await kay()(["whoami", "--jq", ".error"])).toEqual({
    exit: 4,
    stdout: "",
    stderr: "✗ You are not signed in.\n  Run `kay connect <service>`.\n",
  });
  expect(await kay()(["tools", "call", "jira.search", "--jq", ".error"])).toMatchObject({ exit: 4, stdout: "" });
  expect(await kay()(["conections", "--jq", "."])).toMatchObject({ exit: 2, stdout: "" });
});

test("an open request is filtered like every answer, with exit code 8, even if the filter fails", async () => {
  const ann = kay({ signedIn: true });
  const ask = (expression: string) => ann(["ask", "--confirm", "create a task in KAY: One", "--jq", expression]);
  expect(await ask(".status")).toEqual({ exit: 8, stdout: "confirmation_required\n", stderr: "" });
  expect(await ask(".status.x")).toMatchObject({ exit: 8, stdout: "", stderr: expect.stringContaining(SENTENCE) });
});

test("each line of a stream is filtered as it arrives, in order, including the last one of an error", async () => {
  const ann = kay({ signedIn: true });
  const stream = (parts: StreamPart[]) => ann.place.network.on("POST /ask", { stream: sse(parts) });
  stream([...begins(), ...createText("One ", "two"), ...ends()]);
  const words = ["ask", "x", "--stream", "--jq", 'select(.type == "text-delta").delta'];
  expect(await ann(words)).toEqual(output("One \ntwo\n"));
  stream([...begins(), ...createText("One"), { type: "error", errorText: "No.", code: "MODEL_FAILED" }]);
  expect(await ann(["ask", "x", "--stream", "--jq", ".type, .errorText? // empty"])).toMatchObject({
    exit: 1,
    stdout: expect.stringMatching(/^start\n(.*\n)*error\nNo\.\n$/),
  });
});
