import type { Effect, Step } from "./events.ts";
import type { Session } from "./state.ts";

/** A session that became this, and wants these things done. */
export function only(session: Session, ...effects: Effect[]): Step {
  return { session, effects };
}
