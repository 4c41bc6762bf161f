/** Many writers, one reader: what is pushed comes out of `drain` in order, until `end`. */
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

/** Makes of some work what may be called at any time: it is done once more after it ends if that was wanted meanwhile, never twice at once. */
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
