/** Creates a queue with many writers and one reader: `drain` yields pushed items in order until `end`. */
export function createChannel<T>(): { push(item: T): void; end(): void; drain(): AsyncGenerator<T> } {
  const items: T[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push: (item) => {
      items.push(item);
      notify();
    },
    end: () => {
      ended = true;
      notify();
    },
    async *drain() {
      for (;;) {
        while (items.length > 0) yield items.shift() as T;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Wraps `work` so that it never runs twice at once. Calls made during a run cause one more run afterwards. */
export function coalesce(work: () => Promise<void>): () => void {
  let state: "idle" | "busy" | "again" = "idle";
  return function go() {
    if (state !== "idle") {
      state = "again";
      return;
    }
    state = "busy";
    void work().finally(() => {
      const again = state === "again";
      state = "idle";
      if (again) go();
    });
  };
}
