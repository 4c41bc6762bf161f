import type { StreamPart } from "#protocol/events";
import { getText } from "#ui/editor/draft";
import { createKeyReader } from "#ui/keys/reader";
import type { SessionEffect, SessionEvent } from "#ui/session/events";
import { type LiveFrame, layOutLiveRegion } from "#ui/session/live-frame";
import type { Session, Status } from "#ui/session/state";
import { createSession, updateSession } from "#ui/session/update";
import { NOW } from "./cards.ts";
import { keyNamed } from "./shorthand.ts";

/** A session that is played event by event, with a clock that goes on by itself a little with each key. */
export type Player = {
  now(): Session;
  /** Keys as `shorthand` writes them: `<ctrl-c>`, `<enter>`, `x`. */
  press(...keys: string[]): void;
  /** What one read of the terminal brought. */
  read(text: string): void;
  /** Text, a key for each character. */
  type(text: string): void;
  parts(...parts: StreamPart[]): void;
  event(event: SessionEvent): void;
  /** The frame as it is now is on the screen. */
  draw(more?: { text?: string[]; tools?: string[] }): LiveFrame;
  /** Time goes by without anything. */
  wait(ms: number): void;
  /** A frame is drawn, and then nothing happens for a second: a card that has the focus takes keys. */
  settle(): void;
  /** What was wanted since the last time, without what opens and closes cards and what is remembered; a letter stands alone by then. */
  did(): SessionEffect[];
  /** All of it. */
  all(): SessionEffect[];
  draft(): string;
};

/** Begin one. `width` and `height` are the window's. */
export function play(width = 80, height = 24, status: Partial<Status> = {}): Player {
  const whole: Status = {
    model: "offline",
    connection: "here",
    services: ["jira"],
    title: "",
    profile: "default",
    ...status,
  };
  let now = NOW;
  let session = createSession({ columns: width, rows: height, now, status: whole });
  let effects: SessionEffect[] = [];
  let count = 0;
  const event = (one: SessionEvent) => {
    const step = updateSession(session, one);
    session = step.session;
    effects.push(...step.effects);
  };
  const press = (...keys: string[]) => {
    for (const key of keys) {
      now += 20;
      event({ type: "key", key: { ...keyNamed(key), at: now } });
    }
  };
  const draw = ({ text = [], tools = [] }: { text?: string[]; tools?: string[] } = {}) => {
    const frame = layOutLiveRegion(session, { text, tools, waiting: null }, "⠋");
    event({ type: "drawn", frame: { ...frame, at: now } });
    return frame;
  };
  const reader = createKeyReader();
  const player = {
    now: () => session,
    read(text: string) {
      now += 20;
      for (const key of reader.push(Buffer.from(text), now)) event({ type: "key", key });
    },
    press,
    type: (text: string) => press(...Array.from(text)),
    parts(...parts: StreamPart[]) {
      const numbered = parts.map((part) => {
        count += 1;
        return { number: count, part, at: now };
      });
      event({ type: "parts", parts: numbered, at: now });
    },
    event,
    draw,
    wait(ms: number) {
      now += ms;
      event({ type: "tick", at: now });
    },
    settle() {
      draw();
      player.wait(1_000);
      draw();
    },
    did() {
      if (session.held) player.wait(100);
      return player.all().filter((effect) => !QUIET.includes(effect.do));
    },
    all() {
      const done = effects;
      effects = [];
      return done;
    },
    draft: () => getText(session.draft),
  };
  return player;
}

const QUIET: SessionEffect["do"][] = ["opened", "closed", "remember", "wait"];

/** Parts with which another generation begins. */
export function beginsAs(generation_id: string): StreamPart[] {
  const ids = { session_id: "session_1", generation_id };
  return [
    { type: "start", messageMetadata: ids },
    { type: "data-status", data: { ...ids, status: "running" } },
  ];
}

/** The status of a generation, which is the first one unless said. */
export function goes(
  status: Extract<StreamPart, { type: "data-status" }>["data"]["status"],
  generation_id = "gen_1",
): StreamPart {
  return { type: "data-status", data: { session_id: "session_1", generation_id, status } };
}
