import type { StreamPart } from "#protocol/events";
import { getText } from "#ui/editor/draft";
import { createKeyReader } from "#ui/keys/reader";
import type { SessionEffect, SessionEvent } from "#ui/session/events";
import { type LiveFrame, layOutLiveRegion } from "#ui/session/live-frame";
import type { Session, Status } from "#ui/session/state";
import { createSession, updateSession } from "#ui/session/update";
import { NOW } from "./cards.ts";
import { keyNamed } from "./shorthand.ts";

/** A session that is played event by event, with a clock that advances a little with each key. */
export type Player = {
  now(): Session;
  /** Keys as `shorthand` writes them: `<ctrl-c>`, `<enter>`, `x`. */
  press(...keys: string[]): void;
  /** The keys of one read of the terminal. */
  read(text: string): void;
  /** Text, a key for each character. */
  type(text: string): void;
  parts(...parts: StreamPart[]): void;
  event(event: SessionEvent): void;
  /** Marks the current frame as drawn. */
  draw(more?: { text?: string[]; tools?: string[] }): LiveFrame;
  /** Advances time without events. */
  wait(ms: number): void;
  /** Draws a frame, then lets a second pass, so that a focused card takes keys. */
  settle(): void;
  /**
   * The requested actions since the last call, without those that open and close cards or store data; a held letter is
   * released.
   */
  did(): SessionEffect[];
  /** All of it. */
  all(): SessionEffect[];
  draft(): string;
};

/** Starts one. `width` and `height` are the window's. */
export function play(width = 80, height = 24, status: Partial<Status> = {}): Player {
  const fullStatus: Status = {
    model: "offline",
    connection: "here",
    services: ["jira"],
    title: "",
    profile: "default",
    ...status,
  };
  let now = NOW;
  let session = createSession({ columns: width, rows: height, now, status: fullStatus });
  let effects: SessionEffect[] = [];
  let count = 0;
  const event = (sessionEvent: SessionEvent) => {
    const step = updateSession(session, sessionEvent);
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
      const collected = effects;
      effects = [];
      return collected;
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

/** The status of a generation, the first by default. */
export function goes(
  status: Extract<StreamPart, { type: "data-status" }>["data"]["status"],
  generation_id = "gen_1",
): StreamPart {
  return { type: "data-status", data: { session_id: "session_1", generation_id, status } };
}
