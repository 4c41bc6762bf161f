import { expect, test } from "vitest";
import { isFalseClaim } from "#agent/calls/claim";
import type { PastCall } from "#agent/calls/repetition";
import { notes } from "#test/notes-tools";

const tools = notes(() => {});
const toolCallId = "c1";

function past(name: "notes.read" | "notes.write", fails = false): PastCall {
  const tool = tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const call = { toolCallId, toolName: name, input: { id: 1 } };
  const outcome = fails ? { call, denied: "no" } : { call, output: { from: "notes", text: "note 1", data: null } };
  return { call: { ...call, tool, access: tool.access, parsed: { id: 1 }, summary: "Note 1" }, outcome };
}

const claims = (text: string, calls: PastCall[] = []) => isFalseClaim(text, { messages: [], past: calls, tools });

test.each([
  "Done!",
  "**Done.** KAY-1 is closed.",
  "All done, anything else?",
  "I've closed KAY-1. Would you like me to close KAY-2 as well?",
  "I have successfully sent the message to #general.",
  "Sure! I just created the issue.",
  "The message has been sent to #general.",
  "KAY-1 is now closed.",
  "Successfully updated the page.",
  "Erledigt!",
  "Ich habe das Ticket KAY-1 geschlossen.",
  "C'est fait.",
  "J'ai créé la page.",
  "Hecho.",
  "He enviado el mensaje.",
  "完了しました。",
])("an answer that reports a change without a call is a false claim: %s", (text) => {
  expect(claims(text)).toBe(true);
});

test.each([
  "Hello! What can I do for you?",
  "I can close KAY-1 for you. Shall I?",
  "I could not close KAY-1.",
  "I did not send anything.",
  "Nothing was changed: the channel does not exist.",
  "Once I have sent it, I will tell you.",
  "Set OPENAI_API_KEY to use a model.",
  "Completed issues are shown with a check mark.",
  "2 + 2 is 4.",
  "Ich habe drei Tickets gefunden.",
  "He encontrado dos mensajes.",
])("an answer that reports nothing is not: %s", (text) => {
  expect(claims(text)).toBe(false);
});

test("after a read, an answer may report what others did, but not what it did itself", () => {
  const calls = [past("notes.read")];
  expect(claims("KAY-1 has been closed by Ann.", calls)).toBe(false);
  expect(claims("Done.", calls)).toBe(false);
  expect(claims("I closed KAY-1.", calls)).toBe(true);
});

test("an answer after a write counts as true, one after a denied write does not", () => {
  expect(claims("Done!", [past("notes.write")])).toBe(false);
  expect(claims("Done!", [past("notes.write", true)])).toBe(true);
});

test("an answer about a write of an earlier request is not a false claim", () => {
  const content = [{ type: "tool-call" as const, toolCallId: "old", toolName: "notes__write", input: {} }];
  const messages = [{ role: "assistant" as const, content }];
  expect(isFalseClaim("Yes, I sent it this morning.", { messages, past: [], tools })).toBe(false);
});
