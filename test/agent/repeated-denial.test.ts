import { expect, test } from "vitest";
import type { CheckedCall } from "#agent/calls/checked-call";
import type { PastCall } from "#agent/calls/repetition";
import { createCallLimit, DENIAL_TEXT, findRepeatedDenial } from "#agent/limits";

const createDenial = (toolName: string): PastCall => {
  const call = { toolCallId: toolName, toolName, input: {} };
  return { call: call as PastCall["call"], outcome: { call, denied: `${DENIAL_TEXT}: not today` } };
};

test("the second denial of a tool in another step ends the turn with what the user said", () => {
  expect(findRepeatedDenial([], [createDenial("a"), createDenial("a")])).toBeUndefined();
  expect(findRepeatedDenial([createDenial("a")], [createDenial("b")])).toBeUndefined();
  expect(findRepeatedDenial([createDenial("a")], [createDenial("a")])).toMatchObject({
    code: "DENIED",
    message: "kay stopped: the model called a again after you denied it. You said: not today",
  });
});

test("other tools cannot ask for the same without end: a call denied after two denied tools ends the turn", () => {
  expect(findRepeatedDenial([createDenial("a"), createDenial("b")], [createDenial("http_request")])).toMatchObject({
    message: "kay stopped: the model called http_request after you denied other calls. You said: not today",
  });
});

test("a form that the user canceled counts as denied, an answered one does not", () => {
  const form = (data: object): PastCall => {
    const call = { toolCallId: "f", toolName: "ask_user", input: {} };
    return { call: call as PastCall["call"], outcome: { call, output: { from: "kay", text: "", data } } };
  };
  const [canceled, answered] = [form({ ok: false, cancelled: true }), form({ ok: true, answers: { a: "x" } })];
  expect(findRepeatedDenial([canceled], [canceled])).toMatchObject({
    code: "DENIED",
    message: "kay stopped: the model called ask_user again after you denied it.",
  });
  expect(findRepeatedDenial([canceled], [answered])).toBeUndefined();
  expect(findRepeatedDenial([answered], [answered])).toBeUndefined();
});

test("a step shows one form and runs at most sixteen calls; the others are told what to do", () => {
  const check = (name: string) => {
    const limit = createCallLimit([]);
    return (id: number) => {
      const tool = { name, title: name, service: name, own: name === "ask_user" };
      const checked = limit({ toolCallId: `${id}`, toolName: name, input: {}, tool } as unknown as CheckedCall);
      return "problem" in checked ? checked.problem.message : "runs";
    };
  };
  const ids = Array.from({ length: 17 }, (_, id) => id);
  expect(ids.slice(0, 2).map(check("ask_user"))).toEqual([
    "runs",
    "A step shows one form. Put all questions into its fields, or ask in the next step.",
  ]);
  expect(ids.map(check("slack")).slice(-2)).toEqual([
    "runs",
    "A step runs at most 16 calls. Call this tool in the next step.",
  ]);
});
