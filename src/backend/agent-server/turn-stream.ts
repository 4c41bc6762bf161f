import type { AgentPart } from "./parts.ts";

/** The live stream of a turn for its one reader. Later readers get the turn from the backend. */
export type TurnStream = {
  push(part: AgentPart): void;
  /** Pushes the last part and closes the stream. */
  end(part: AgentPart): void;
  /** Closes the stream early; from then on the turn is reported only to its webhook. */
  cut(): void;
  /** Returns the parts pushed since the last call, in order. */
  take(): AgentPart[];
  /** Whether the stream is closed and every part was taken. */
  isOver(): boolean;
  /** Sets the callback for new parts and for the end. */
  watch(changed: () => void): void;
  /** Discards everything because the reader has disconnected. */
  leave(): void;
};

/** Maximum number of parts buffered for a slow reader before the stream is cut. */
const MOST_WAITING = 10_000;

export function createTurnStream(): TurnStream {
  let queue: AgentPart[] = [];
  let isOpen = true;
  let notify = () => {};
  const close = () => {
    isOpen = false;
    notify();
  };
  const push = (part: AgentPart) => {
    if (!isOpen) return;
    if (queue.push(part) > MOST_WAITING) close();
    else notify();
  };
  return {
    push,
    end(part) {
      push(part);
      close();
    },
    cut: close,
    take: () => queue.splice(0),
    isOver: () => !isOpen && queue.length === 0,
    watch(callback) {
      notify = callback;
    },
    leave() {
      notify = () => {};
      queue = [];
      isOpen = false;
    },
  };
}

/** Stream of a turn that continues without a reader. */
export const NO_STREAM: TurnStream = {
  push: () => {},
  end: () => {},
  cut: () => {},
  take: () => [],
  isOver: () => true,
  watch: () => {},
  leave: () => {},
};
