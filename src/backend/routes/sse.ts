import type { StreamSink } from "../http/streaming-response.ts";

/** Headers of every stream: proxies and caches must neither store nor buffer it. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  // Node sends it anyway. Setting it here keeps the listener from reading ahead.
  "transfer-encoding": "chunked",
};

/** Seconds of silence after which a comment shows that the stream is alive. */
const KEEPALIVE = 15;

const sharedWheel = createTimerWheel(KEEPALIVE);

/** The reader of an event stream. Comments keep the stream alive while nothing else is written. */
export type LiveSink = {
  /** The reader is full, or has not begun to read. */
  full: boolean;
  write(text: string): void;
  /** Stops writing. */
  stop(): void;
};

/** @param wheel calls after {@link KEEPALIVE} seconds; by default the one that all streams share */
export function withKeepAlive(sink: StreamSink, wheel = sharedWheel): LiveSink {
  const live: LiveSink = {
    full: true,
    write(text) {
      live.full = !sink.write(text);
      wheel.set(sendKeepAlive);
    },
    stop: () => wheel.clear(sendKeepAlive),
  };
  const sendKeepAlive = () => {
    if (!live.full) live.write(": keepalive\n\n");
  };
  wheel.set(sendKeepAlive);
  return live;
}

/** One timer for all streams with the same interval, so that an idle stream needs none. */
export type TimerWheel = {
  /** Calls `ring` each time the interval has passed. A further call restarts the interval. */
  set(call: () => void): void;
  clear(call: () => void): void;
};

/** @param seconds until each is called, give or take one */
export function createTimerWheel(seconds: number): TimerWheel {
  // In the order in which they are due.
  const due = new Map<() => void, number>();
  let timer: NodeJS.Timeout | undefined;
  let now = 0;
  const turnWheel = () => {
    now++;
    for (const [call, dueAt] of due) {
      if (dueAt > now) return;
      wheel.set(call);
      call();
    }
  };
  const wheel: TimerWheel = {
    set(call) {
      due.delete(call);
      due.set(call, now + seconds);
      timer ??= setInterval(turnWheel, 1_000).unref();
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
