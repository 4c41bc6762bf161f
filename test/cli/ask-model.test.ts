import { expect, test } from "vitest";
import { documentOf, useKay } from "#test/kay";
import { scriptedModel } from "#test/scripted-model";

const kay = useKay();
const model = scriptedModel();
const scripted = () => ({ signedIn: true, model: model.ports.model(), elsewhere: model.ports.fetch });
const LABEL = "OpenAI-compatible scripted";

test("B204 an answer without words is a failure", async () => {
  model.script({ text: " \n " });
  expect(await kay(scripted())('ask "hi"')).toEqual({
    exit: 1,
    stdout: expect.stringMatching(/^\s*$/),
    stderr: `✗ ${LABEL} returned an empty answer.\n  Try again, or choose another model with \`kay config set model\`.\n`,
  });
});

test("B205 an answer that was cut is shown, with a sentence and exit 1; --json has its words and the reason", async () => {
  const ann = kay(scripted());
  const sentence = `The answer is incomplete: ${LABEL} reached its output limit.`;
  model.script({ text: "Part of an ans", finish: "length" });
  expect(await ann('ask "hi"')).toEqual({
    exit: 1,
    stdout: "Part of an ans\n",
    stderr: `✗ ${sentence}\n  Ask for a shorter answer, or for less at once.\n`,
  });
  model.script({ text: "Part of an ans", finish: "length" });
  const { exit, ...output } = await ann('ask --json "hi"');
  expect({ exit, document: documentOf(output) }).toMatchObject({
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
  const { exit, ...output } = await kay(scripted())('ask --json "hi"');
  expect({ exit, document: documentOf(output) }).toMatchObject({
    exit: 1,
    document: { status: "error", code: "MODEL_FAILED", finish_reason: "content_filter", text: "Part" },
  });
});

test("B207 a call of a message that was cut is neither run nor offered", async () => {
  model.script(
    { calls: [["c1", "jira.add_comment", { issue: "KAY-3", text: "The release is not" }]], finish: "length" },
    { text: "I will be shorter." },
  );
  const { exit, ...output } = await kay(scripted())('ask --json "comment on KAY-3"');
  expect({ exit, document: documentOf(output) }).toMatchObject({ exit: 0, document: { receipts: [] } });
});

test("a report of a change that no call made is followed by a correction", async () => {
  model.script({ text: "Done! I closed KAY-3." });
  expect(await kay(scripted())('ask "close KAY-3"')).toEqual({
    exit: 0,
    stdout: "Done! I closed KAY-3.\n\nNothing was changed.\n",
    stderr: "",
  });
});

test("a failure after a write says what was done instead of to try again", async () => {
  const ann = kay(scripted());
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
