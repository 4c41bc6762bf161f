import type { Key } from "#ui/keys/key";
import { createKeyReader } from "#ui/keys/reader";
import type { Kay } from "../kay.ts";

/** Read keys from the terminal until the way back is called. What stays half is given out after the silence that its reader asks for. */
export function readKeys({ terminal, clock }: Kay, onKey: (key: Key) => void): () => void {
  const reader = createKeyReader();
  let over = new AbortController();
  const awaitMore = () => {
    over.abort();
    over = new AbortController();
    const wait = reader.waiting();
    const { signal } = over;
    if (wait !== null)
      void clock.sleep(wait, signal).then(
        () => flush(signal),
        () => {},
      );
  };
  // A busy process runs its timers before it reads: what came by now is read first.
  const flush = (signal: AbortSignal) =>
    setImmediate(() => {
      if (signal.aborted) return;
      for (const key of reader.flush(clock.now())) onKey(key);
      awaitMore();
    });
  const release = terminal.stdin.bytes((bytes) => {
    for (const key of reader.push(bytes, clock.now())) onKey(key);
    awaitMore();
  });
  return () => {
    over.abort();
    release();
  };
}
