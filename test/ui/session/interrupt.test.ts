import { expect, test } from "vitest";
import { begins } from "#test/parts";
import type { Key } from "#ui/keys/key";
import type { SessionEffect, SessionEvent } from "#ui/session/events";
import { createSession, updateSession } from "#ui/session/update";

const key = (text: string, time: number, ctrl = false): SessionEvent => {
  const pressed: Key = { name: "text", text, ctrl, alt: false, shift: false, at: time };
  return { type: "key", key: pressed };
};
const interrupt = (time: number) => key("c", time, true);

/** The actions of a session with a running answer, after each of these events. */
function wants(...events: SessionEvent[]): SessionEffect["do"][][] {
  const status = { model: "", connection: "here" as const, services: [], title: "", profile: "default" };
  const parts = begins().map((part, index) => ({ part, number: index + 1, at: 0 }));
  let { session } = updateSession(createSession({ columns: 80, rows: 24, now: 0, status }), {
    type: "parts",
    parts,
    at: 0,
  });
  return events.map((event) => {
    const step = updateSession(session, event);
    session = step.session;
    return step.effects.map((effect) => effect.do);
  });
}

test("a second Ctrl+C leaves, even while the cancelled turn has not ended yet", () => {
  expect(wants(interrupt(100), interrupt(200), { type: "cancelled" }, interrupt(300))).toEqual([
    ["cancel"],
    [],
    [],
    ["leave"],
  ]);
});

test("another key in between resets it: Ctrl+C clears the line first, and cancels", () => {
  const events = [interrupt(100), interrupt(200), key("a", 300), interrupt(400), interrupt(500), interrupt(600)];
  expect(wants(...events)).toEqual([["cancel"], [], [], [], [], ["leave"]]);
});
