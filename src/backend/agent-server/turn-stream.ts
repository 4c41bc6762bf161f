import type { AgentPart } from "./parts.ts";

/** What is streamed of a turn, for the one who reads it now; whoever comes later gets it from the backend. */
export type TurnStream = {
  push(part: AgentPart): void;
  /** The last part. */
  end(part: AgentPart): void;
  /** It breaks off: what comes of the turn is reported to its webhook alone. */
  cut(): void;
  /** What came since it was last taken, in order. */
  take(): AgentPart[];
  /** Everything is taken, and nothing comes any more: the last part was among it, or the feed was cut. */
  isOver(): boolean;
  /** Have this called when there is more to take, or when it is over. */
  watch(changed: () => void): void;
  /** Nobody reads it any more. */
  leave(): void;
};

/** Most parts that wait for a reader who is slow; then the stream is cut. */
const MOST_WAITING = 10_000;

export function createTurnStream(): TurnStream {
  let waiting: AgentPart[] = [];
  let isOpen = true;
  let changed = () => {};
  const close = () => {
    isOpen = false;
    changed();
  };
  const push = (part: AgentPart) => {
    if (!isOpen) return;
    if (waiting.push(part) > MOST_WAITING) close();
    else changed();
  };
  return {
    push,
    end(part) {
      push(part);
      close();
    },
    cut: close,
    take: () => waiting.splice(0),
    isOver: () => !isOpen && waiting.length === 0,
    watch(call) {
      changed = call;
    },
    leave() {
      changed = () => {};
      waiting = [];
      isOpen = false;
    },
  };
}

/** For a turn that is carried on without anybody who reads. */
export const NO_STREAM: TurnStream = {
  push: () => {},
  end: () => {},
  cut: () => {},
  take: () => [],
  isOver: () => true,
  watch: () => {},
  leave: () => {},
};
