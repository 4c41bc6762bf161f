import type { AgentPart } from "./parts.ts";

/** What is streamed of a turn, for the one who reads it now; whoever comes later gets it from the backend. */
export type Feed = {
  push(part: AgentPart): void;
  /** The last part. */
  end(part: AgentPart): void;
  /** It breaks off: what comes of the turn is reported to its webhook alone. */
  cut(): void;
  /** Parts in order, until the last one. @throws when it is cut */
  parts(): AsyncGenerator<AgentPart>;
  /** Nobody reads it any more. */
  leave(): void;
};

/** Most parts that wait for a reader who is slow; then the stream is cut. */
const MOST_WAITING = 10_000;

export function createFeed(): Feed {
  let waiting: AgentPart[] = [];
  let state: "open" | "ended" | "cut" | "left" = "open";
  let wake: (() => void) | undefined;
  const change = (to: typeof state) => {
    if (state === "open") state = to;
    wake?.();
  };
  const push = (part: AgentPart) => {
    if (state !== "open") return;
    if (waiting.push(part) > MOST_WAITING) change("cut");
    wake?.();
  };
  return {
    push,
    end(part) {
      push(part);
      change("ended");
    },
    cut: () => change("cut"),
    leave() {
      change("left");
      waiting = [];
    },
    async *parts() {
      for (;;) {
        yield* waiting.splice(0);
        if (waiting.length > 0) continue;
        if (state === "cut") throw new Error("The turn goes on elsewhere.");
        if (state !== "open") return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** For a turn that is carried on without anybody who reads. */
export const NO_FEED: Feed = {
  push: () => {},
  end: () => {},
  cut: () => {},
  leave: () => {},
  async *parts() {},
};
