import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { guideBackend } from "#test/guide-backend";
import { parseDocument, useKay } from "#test/kay";
import { BACKEND } from "#test/network";
import { useScriptedModel } from "#test/scripted-model";

const kay = useKay();
const model = useScriptedModel();
const SCHEMA = {
  type: "object",
  properties: {
    issues: {
      type: "array",
      items: {
        type: "object",
        properties: { key: { type: "string" }, summary: { type: "string" } },
        required: ["key", "summary"],
      },
    },
    count: { type: "integer" },
  },
  required: ["issues", "count"],
};
const VALUE = { issues: [{ key: "OPS-4", summary: "Deploys fail on Fridays" }], count: 1 };
const ASK = ["ask", "show the open bugs in OPS", "--output-schema"];
const SIGNED_IN = { signedIn: true, ...model.machine };
const HINT = "  Pass a JSON Schema to --output-schema: a file, or the object itself.\n";

/** The model's next answer is the value. */
const answer = () => model.script({ text: JSON.stringify(VALUE) });

test("with a schema, stdout is only the value, and with --json it is in the answer's data", async () => {
  const ann = kay(SIGNED_IN);
  writeFileSync(join(ann.folder, "bugs.schema.json"), JSON.stringify(SCHEMA));
  answer();
  const plain = await ann([...ASK, "bugs.schema.json"]);
  expect({ ...plain, stdout: JSON.parse(plain.stdout) }).toEqual({ exit: 0, stdout: VALUE, stderr: "" });
  answer();
  const result = await ann([...ASK, JSON.stringify(SCHEMA), "--json"]);
  const response = expect.stringMatching(/^\{/);
  expect(parseDocument(result)).toMatchObject({
    status: "completed",
    message: response,
    data: { prompt: "show the open bugs in OPS", response, output: VALUE },
  });
  answer();
  const terminal = await ann([...ASK, JSON.stringify(SCHEMA)], { terminal: true });
  expect(JSON.parse(terminal.stdout)).toEqual(VALUE);
});

test("in a stream of lines, the value is one of them", async () => {
  const ann = kay(SIGNED_IN);
  answer();
  const { stdout } = await ann([...ASK, JSON.stringify(SCHEMA), "--json", "--stream"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ type }) => type === "data-output")).toMatchObject([{ data: { value: VALUE } }]);
});

test("an answer that never matches is not a success: the mismatch is reported, and --json has it", async () => {
  const ann = kay(SIGNED_IN);
  const refuse = () => model.script({ text: "I am fine." }, { text: "I am still fine." });
  refuse();
  expect(await ann([...ASK, JSON.stringify(SCHEMA)])).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✗ The answer does not match the output schema: it is not JSON.
  Rephrase the prompt or simplify the schema. Use --json to see the rejected answer.
`,
  });
  refuse();
  expect(parseDocument(await ann([...ASK, JSON.stringify(SCHEMA), "--json"]))).toMatchObject({
    status: "error",
    code: "OUTPUT_INVALID",
    problems: [{ path: "", message: "is not JSON" }],
    text: "I am still fine.",
    receipts: [],
  });
});

test("without a language model, nothing is called, and kay says how to get one", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann([...ASK, JSON.stringify(SCHEMA)])).toEqual({
    exit: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^✗ The offline planner answers in words; --output-schema needs a language model\.\n {2}To use a language model, /,
    ),
  });
});

test("a corrected answer of a model is shown once", async () => {
  const ann = kay(SIGNED_IN);
  model.script({ text: "One bug." }, { text: `\`\`\`json\n${JSON.stringify(VALUE)}\n\`\`\`` });
  const { exit, stdout, stderr } = await ann([...ASK, JSON.stringify(SCHEMA)]);
  expect({ exit, value: JSON.parse(stdout), stderr }).toEqual({ exit: 0, value: VALUE, stderr: "" });
});

test("after an approval in another process, the value is still printed", async () => {
  const ann = kay(SIGNED_IN);
  model.script({ calls: [["c1", "jira.add_comment", { issue: "KAY-3", text: "hello" }]] });
  const schema = JSON.stringify({ type: "object", properties: { done: { type: "boolean" } }, required: ["done"] });
  const { exit } = await ann(["ask", "comment on KAY-3: hello", "--output-schema", schema, "--json"]);
  expect(exit).toBe(8);
  const { pending } = JSON.parse(ann.raw().stdout);
  model.script({ text: "It is done." }, { text: '{"done": true}' });
  expect(await ann(["answer", pending[0].id, "--approve"])).toMatchObject({
    exit: 0,
    stdout: '{\n  "done": true\n}\n',
  });
});

test("a confirmed action answers with the value", async () => {
  const ann = kay(SIGNED_IN);
  const schema = JSON.stringify({ type: "object", properties: { key: { type: "string" } }, required: ["key"] });
  model.script({ calls: [["c1", "jira.transition_issue", { issue: "KAY-3", status: "close" }]] });
  const plan = await ann(["ask", "--confirm", "close KAY-3", "--output-schema", schema, "--json"]);
  expect(plan.exit).toBe(8);
  model.script({ text: '{"key": "KAY-3"}' });
  const { confirmation_token: token } = JSON.parse(ann.raw().stdout);
  expect(await ann(`confirm ${token} --approve`)).toMatchObject({ exit: 0, stdout: '{\n  "key": "KAY-3"\n}\n' });
});

test.each([
  ["missing.json", 'File not found: "missing.json".', ""],
  ["folder", '"folder" is a folder.', "  Specify each file.\n"],
  ["/dev/zero", '"/dev/zero" is not a regular file.', "  Specify a file or a pipe.\n"],
  ["broken.json", '"broken.json" is not JSON.', HINT],
  ["list.json", '"list.json" is not a JSON Schema: it must be an object.', HINT],
  ["binary.json", '"binary.json" is not text.', ""],
  ["{broken", "The output schema is not JSON.", HINT],
  [
    '{"$ref":"https://example.com/schema.json"}',
    'The output schema cannot be used. It refers to "https://example.com/schema.json", but only references within the schema (#/$defs/…) are allowed.',
    HINT,
  ],
  [
    '{"type":"string","pattern":"^(?=a)"}',
    'The output schema cannot be used. The pattern "^(?=a)" uses "(?=", but patterns must follow the RE2 syntax, which has no lookaround or backreferences.',
    HINT,
  ],
  ['{"$ref":"#"}', "The output schema cannot be used. It refers to itself endlessly.", HINT],
])("an unusable schema is a usage error, and nothing is sent: %s", async (schema, sentence, hint) => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  mkdirSync(join(ann.folder, "folder"));
  writeFileSync(join(ann.folder, "broken.json"), "{");
  writeFileSync(join(ann.folder, "list.json"), "[]");
  writeFileSync(join(ann.folder, "binary.json"), Buffer.from([0x7b, 0, 0x7d]));
  const callCount = ann.place.network.seen.length;
  expect(await ann([...ASK, schema])).toEqual({ exit: 2, stdout: "", stderr: `✗ ${sentence}\n${hint}` });
  expect(ann.place.network.seen.length).toBe(callCount);
});

test("--max-steps ends a request that has not finished by then", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann(["ask", "--max-steps", "1", "show OPS-1"])).toEqual({
    exit: 1,
    stdout: "",
    stderr: `✗ The request was stopped: it was not finished after 1 step.
  Ask for less at once, or allow more steps (\`kay ask --max-steps\`).
`,
  });
  expect(await ann(["ask", "--max-steps", "2", "show OPS-1"])).toMatchObject({ exit: 0, stderr: "" });
});

test.each(["0", "21", "1.5", "-1", "x", "1e1"])("--max-steps %s is a usage error", async (steps) => {
  expect(await kay()(["ask", `--max-steps=${steps}`, "hello"])).toEqual({
    exit: 2,
    stdout: "",
    stderr: `✗ "${steps}" is not a valid number of steps.\n  Set --max-steps to a number from 1 to 20.\n`,
  });
});

test.each([
  ["--output-schema", "{}"],
  ["--max-steps", "3"],
])("a backend without %s is not asked", async (option, value) => {
  const ann = kay({ person: async (url) => backend?.consent(url) });
  const backend: ReturnType<typeof guideBackend> | undefined = guideBackend(ann.place.clock);
  ann.place.network.serve(BACKEND, backend.fetch);
  await ann("connect jira");
  for (const extraWords of [[], ["--confirm"]])
    expect(await ann(["ask", "hello", option, value, ...extraWords])).toEqual({
      exit: 1,
      stdout: "",
      stderr: `✗ This backend does not support ${option}, so nothing was sent.
  Omit it, or use the local backend: \`kay config unset api-url\`.
`,
    });
  expect(ann.place.network.seen.filter((line) => String(line).includes("/ask"))).toEqual([]);
});
