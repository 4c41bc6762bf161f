/** One timer for all that wait for the same time: a stream on which nothing happens has none of its own. */
export type TimerWheel = {
  /** Have this called when the time has passed, and again and again; the time begins anew. */
  set(call: () => void): void;
  clear(call: () => void): void;
};

/** @param seconds until each is called, give or take one */
export function createTimerWheel(seconds: number): TimerWheel {
  // In the order in which they are due.
  const due = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;
  let now = 0;
  const turn = () => {
    now++;
    for (const [call, at] of due) {
      if (at > now) return;
      wheel.set(call);
      call();
    }
  };
  const wheel: TimerWheel = {
    set(call) {
      due.delete(call);
      due.set(call, now + seconds);
      timer ??= setInterval(turn, 1_000).unref();
    },
    clear(call) {
      due.delete(call);
      if (due.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
  return wheel;
}
