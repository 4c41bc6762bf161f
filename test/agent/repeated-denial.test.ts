import { expect, test } from "vitest";
import type { PastCall } from "#agent/calls/repetition";
import { DENIAL_TEXT, findRepeatedDenial } from "#agent/limits";

const denied = (toolName: string): PastCall => {
  const call = { toolCallId: toolName, toolName, input: {} };
  return { call: call as PastCall["call"], outcome: { call, denied: `${DENIAL_TEXT}: not today` } };
};

test("the second denial of a tool in another step ends the turn with what the user said", () => {
  expect(findRepeatedDenial([], [denied("a"), denied("a")])).toBeUndefined();
  expect(findRepeatedDenial([denied("a")], [denied("b")])).toBeUndefined();
  expect(findRepeatedDenial([denied("a")], [denied("a")])).toMatchObject({
    code: "DENIED",
    message: "kay stopped: the model called a again after you denied it. You said: not today",
  });
});

test("other tools cannot ask for the same without end: a call denied after two denied tools ends the turn", () => {
  expect(findRepeatedDenial([denied("a"), denied("b")], [denied("http_request")])).toMatchObject({
    message: "kay stopped: the model called http_request after you denied other calls. You said: not today",
  });
});
