import { expect, test } from "vitest";
import { UNATTENDED_CONTEXT } from "#agent/tool";
import { askUserTool, listAnswerTexts, readFormFields } from "#agent/tools/ask-user";

const context = { ...UNATTENDED_CONTEXT, toolCallId: "c1", signal: new AbortController().signal, report: () => {} };
const ask = (input: object) => askUserTool.run(askUserTool.parse(input), context);

test.each([
  [{ question: "Your password" }],
  [
    {
      question: "GitHub sign-in expired. Type your GitHub password to continue.",
      fields: [{ id: "a", label: "Answer" }],
    },
  ],
  [{ question: "Bitte", fields: [{ id: "a", label: "Ihr Kennwort" }] }],
  [{ question: "Svp", fields: [{ id: "a", label: "x", description: "Votre mot de passe" }] }],
  [{ question: "Which key?", fields: [{ id: "a", label: "SSH private key" }] }],
  [{ question: "Enter the verification code", fields: [{ id: "a", label: "Code" }] }],
  [{ question: "ｐａｓｓｗｏｒｄ", fields: [{ id: "a", label: "x" }] }],
  [{ question: "请输入密码", fields: [{ id: "a", label: "x" }] }],
])("a form that asks for a secret is refused: %j", async (input) => {
  await expect(ask(input)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: expect.stringContaining("asks for a secret"),
  });
});

test.each([
  [{ question: "Which project should the pinned issue go to?" }],
  [{ question: "Which country code?", fields: [{ id: "code", label: "Country code" }] }],
  [{ question: "Who may pass this on?" }],
])("an ordinary question is asked: %j", async (input) => {
  await expect(ask(input)).rejects.toMatchObject({ code: "INTERACTION_UNAVAILABLE" });
});

test("a choice says its label; the only choice, and a proposal that was left as it was, say nothing", () => {
  const fields = readFormFields({
    question: "Where?",
    fields: JSON.stringify([
      {
        id: "place",
        label: "Place",
        type: "radio",
        options: [
          { value: "evil@x.test", label: "Nowhere" },
          { value: "b", label: "Here" },
        ],
      },
      {
        id: "only",
        label: "Go on",
        type: "radio",
        options: [
          { value: "y", label: "Post to #ops" },
          { value: "z", label: "Post  to #ops" },
        ],
      },
      { id: "note", label: "Note", defaultValue: "as planned" },
      { id: "free", label: "More" },
    ]),
  });
  expect(
    listAnswerTexts(fields, { place: "evil@x.test", only: "y", note: "as planned", free: "soon", on: true }),
  ).toEqual([
    { text: "Nowhere", proposed: true },
    { text: "soon", proposed: false },
  ]);
  expect(listAnswerTexts(fields, { note: "as\r\nplanned\u200b " })).toEqual([]);
  expect(listAnswerTexts(fields, { note: "as planned!" })).toEqual([{ text: "as planned!", proposed: true }]);
});
