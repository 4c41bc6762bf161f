import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";
import { useScriptedModel } from "#test/scripted-model";

const kay = useKay();
const model = useScriptedModel();
const SIGNED_IN = { signedIn: true, ...model.machine };
const LABEL = "OpenAI-compatible scripted";

test("B204 an answer without words is a failure", async () => {
  model.script({ text: " \n " });
  expect(await kay(SIGNED_IN)('ask "hi"')).toEqual({
    exit: 1,
    stdout: expect.stringMatching(/^\s*$/),
    stderr: `✗ ${LABEL} returned an empty answer.\n  Try again, or choose another model with \`kay config set model\`.\n`,
  });
});

test("B205 a truncated answer is shown, with a sentence and exit 1; --json has its text and the reason", async () => {
  const ann = kay(SIGNED_IN);
  const sentence = `The answer is incomplete: ${LABEL} reached its output limit.`;
  model.script({ text: "Part of an ans", finish: "length" });
  expect(await ann('ask "hi"')).toEqual({
    exit: 1,
    stdout: "Part of an ans\n",
    stderr: `✗ ${sentence}\n  Ask for a shorter answer, or for less at once.\n`,
  });
  model.script({ text: "Part of an ans", finish: "length" });
  const { exit, ...output } = await ann('ask --json "hi"');
  expect({ exit, document: parseDocument(output) }).toMatchObject({
    exit: 1,
    document: {
      status: "error",
      code: "MODEL_FAILED",
      message: sentence,
      finish_reason: "length",
      text: "Part of an ans",
    },
  });
});

test("B206 an answer that the provider's filter stopped is a failure", async () => {
  model.script({ text: "Part", finish: "content_filter" });
  const { exit, ...output } = await kay(SIGNED_IN)('ask --json "hi"');
  expect({ exit, document: parseDocument(output) }).toMatchObject({
    exit: 1,
    document: { status: "error", code: "MODEL_FAILED", finish_reason: "content_filter", text: "Part" },
  });
});

test("B207 a call in a truncated message neither runs nor is offered", async () => {
  model.script(
    { calls: [["c1", "jira.add_comment", { issue: "KAY-3", text: "The release is not" }]], finish: "length" },
    { text: "I will be shorter." },
  );
  const { exit, ...output } = await kay(SIGNED_IN)('ask --json "comment on KAY-3"');
  expect({ exit, document: parseDocument(output) }).toMatchObject({ exit: 0, document: { receipts: [] } });
});

test("a false report of a change is followed by a correction", async () => {
  model.script({ text: "Done! I closed KAY-3." });
  expect(await kay(SIGNED_IN)('ask "close KAY-3"')).toEqual({
    exit: 0,
    stdout: "Done! I closed KAY-3.\n\nNothing was changed.\n",
    stderr: "",
  });
});

test("a failure after a write says what was done instead of suggesting a retry", async () => {
  const ann = kay(SIGNED_IN);
  await ann("policy set jira everything");
  model.script({ calls: [["c1", "jira.add_comment", { issue: "KAY-3", text: "hello" }]] }, { fails: 400 });
  const { exit, stderr } = await ann('ask "comment on KAY-3: hello"');
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: expect.stringContaining(
      `✗ ${LABEL} refused the request (HTTP 400): scripted.\n  Already done: Comment on KAY-3`,
    ),
  });
});

test("tokens of an answer and of its conversation are in --json, and on a terminal", async () => {
  const ann = kay(SIGNED_IN);
  model.script({ text: "Hello.", usage: [1_200, 34] });
  const first = parseDocument(await ann('ask --json "hi"')) as { session_id: string; usage: object };
  const usage = { input_tokens: 1_200, output_tokens: 34 };
  expect(first.usage).toEqual({
    model: "openai-compatible:scripted",
    ...usage,
    context_tokens: 1_234,
    conversation: usage,
  });
  model.script({ text: "Again.", usage: [1_300, 6] });
  const second = parseDocument(await ann('ask --continue --json "again"')) as { usage: object };
  expect(second.usage).toEqual({
    model: "openai-compatible:scripted",
    input_tokens: 1_300,
    output_tokens: 6,
    context_tokens: 1_306,
    conversation: { input_tokens: 2_500, output_tokens: 40 },
  });
  model.script({ text: "Bye.", usage: [10, 1] });
  const { stderr } = await ann('ask --continue "bye"', { terminal: true, env: { NO_COLOR: "1" } });
  expect(stderr).toContain("10 tokens in, 1 out; conversation: 2,510 in, 41 out");
});

test("a count that is no number of tokens is left out, and the answer has no warning", async () => {
  const ann = kay(SIGNED_IN);
  model.script({ text: "Hello.", usage: [-1, 1e18] });
  const answer = await ann("ask --json hi");
  expect(parseDocument(answer)).not.toHaveProperty("usage.input_tokens", -1);
  expect(parseDocument(answer)).not.toHaveProperty("warnings");
  expect(answer.stderr).toBe("");
});

test("the cost of an answer is known if its price is", async () => {
  const settings = model.ports.model();
  const env = { ...settings.env, KAY_MODEL_PRICES: "openai-compatible:scripted=2/10" };
  const ann = kay({ ...SIGNED_IN, model: { ...settings, env } });
  model.script(
    { calls: [["c1", "jira.list_projects", {}]], usage: [1_000, 100] },
    { text: "One.", usage: [2_000, 50] },
  );
  const { usage } = parseDocument(await ann('ask --json "which projects"')) as { usage: object };
  expect(usage).toMatchObject({ input_tokens: 3_000, output_tokens: 150, cost_usd: 0.0075 });
});

test("--model chooses the model of one request, and an unknown one is refused before anything is sent", async () => {
  const ann = kay({ ...SIGNED_IN, own: true });
  model.script({ text: "Hello." }, { text: "Hello." });
  const modelCount = model.models.length;
  expect(await ann('ask --model openai-compatible:other "hi"')).toMatchObject({ exit: 0 });
  await ann('ask "hi"');
  expect(model.models.slice(modelCount)).toEqual(["other", "scripted"]);
  const { exit, stderr } = await ann('ask --model nobody:x "hi"');
  expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringContaining("✗ Unknown model provider “nobody”.") });
  expect(model.models).toHaveLength(modelCount + 2);
});

test("a shared backend lets a request choose only what it offers", async () => {
  const ann = kay(SIGNED_IN);
  const { exit, stderr } = await ann('ask --model openai-compatible:dear "hi"');
  expect({ exit, stderr }).toEqual({
    exit: 1,
    stderr: expect.stringContaining("✗ This backend does not offer the model openai-compatible:dear; `kay model list`"),
  });
  expect(await ann('ask --model offline "hello"')).toMatchObject({ exit: 0 });
});

test("the model gets the user's time zone, weekday, local time and accounts", async () => {
  model.script({ text: "Hello." });
  await kay({ ...SIGNED_IN, env: { TZ: "Asia/Tokyo" } })('ask "hi"');
  const system = String(model.prompts.at(-1)?.messages[0]?.content);
  expect(system).toMatch(
    /It is \w+day, \d{4}-\d\d-\d\d \d\d:\d\d in the user's time zone, Asia\/Tokyo \(UTC\+09:00\)\./,
  );
  expect(system).toMatch(/Connected services, and as whom .*: Jira as \S+/);
});

test("a result that is too long for the model is shortened, and the request is answered", async () => {
  const ann = kay(SIGNED_IN);
  const long = { fails: 400, says: "This model's maximum context length is 8192 tokens." };
  const sizes: number[] = [];
  model.script(
    { calls: [["c1", "jira.search", { project: "KAY", limit: 50 }]] },
    ({ messages }) => {
      sizes.push(JSON.stringify(messages).length);
      return long;
    },
    ({ messages }) => {
      sizes.push(JSON.stringify(messages).length);
      return { text: "Some issues." };
    },
  );
  const { exit, stdout } = await ann('ask "all issues in KAY"');
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: "Some issues.\n" });
  expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
  expect(JSON.stringify(model.prompts.at(-1)?.messages)).toContain("Left out: ");
});
