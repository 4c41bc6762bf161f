import type { Focus } from "../cards/focus.ts";
import type { SessionEvent } from "./events.ts";
import type { Session } from "./state.ts";

/** How far the times of successive events may lie apart in reverse, in ms. A clock that shows less was set back. */
const TOLERANCE_MS = 1_000;

/**
 * Moves all times of a session if an event shows that the clock was set back. Otherwise pauses that count from the
 * clock before would last as much longer: no card would take a key.
 */
export function followClock(session: Session, event: SessionEvent): Session {
  const backMs = session.now - (getTime(event) ?? session.now);
  if (backMs <= TOLERANCE_MS) return session;
  const { held, ignoring, extending, arriving, hint, news } = session;
  return {
    ...session,
    now: session.now - backMs,
    focus: moveFocus(session.focus, backMs),
    held: held && { ...held, at: held.at - backMs },
    ignoring: ignoring && { since: ignoring.since - backMs },
    extending: extending && { ...extending, at: extending.at - backMs },
    arriving: arriving && { ...arriving, until: arriving.until - backMs },
    hint: hint && { ...hint, until: hint.until - backMs },
    news: news && { ...news, until: news.until - backMs },
    exitArmedUntil: session.exitArmedUntil - backMs,
  };
}

function moveFocus(focus: Focus, backMs: number): Focus {
  const { seen, drawn, open, lastKey } = focus;
  return {
    ...focus,
    seen: new Map([...seen].map(([id, at]) => [id, at - backMs])),
    drawn: drawn && { ...drawn, at: drawn.at - backMs },
    open: open && { ...open, since: open.since - backMs },
    lastKey: lastKey - backMs,
  };
}

function getTime(event: SessionEvent): number | undefined {
  if (event.type === "key") return event.key.at;
  if (event.type === "drawn") return event.frame.at;
  return event.type === "parts" || event.type === "tick" || event.type === "hint" ? event.at : undefined;
}
