import type { SessionEffect, SessionStep } from "./events.ts";
import type { Session } from "./state.ts";

/** So long advice stands, in ms. */
const HINT_MS = 5_000;

/** A session with a line of advice. */
export function withHint(session: Session, text: string): Session {
  return { ...session, hint: { text, until: session.now + HINT_MS } };
}

/** A session that became this, and wants these things done. */
export function toStep(session: Session, ...effects: SessionEffect[]): SessionStep {
  return { session, effects };
}
