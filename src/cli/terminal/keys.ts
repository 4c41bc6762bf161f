import type { Key } from "#ui/keys/key";
import { createKeyReader } from "#ui/keys/reader";
import type { Kay } from "../kay.ts";

/**
 * Reads keys from the terminal until the returned function is called. Incomplete sequences are delivered after the
 * silence that the decoder asks for.
 */
export function readKeys({ terminal, clock }: Kay, onKey: (key: Key) => void): () => void {
  const reader = createKeyReader();
  let controller = new AbortController();
  const awaitMore = () => {
    controller.abort();
    controller = new AbortController();
    const wait = reader.getWaitMs();
    const { signal } = controller;
    if (wait !== null)
      void clock.sleep(wait, signal).then(
        () => flush(signal),
        () => {},
      );
  };
  // Reads pending input first, because a busy process runs timers before it reads.
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
    controller.abort();
    release();
  };
}

/**
 * Reads keys for a prompt or a waiting line of a single command. Drops earlier input. Ctrl+C ends the command, and
 * Ctrl+Z stops it.
 *
 * @returns a function that stops reading
 */
export function readPromptKeys(kay: Kay, onKey: (key: Key) => void): () => void {
  let isOver = false;
  let release = () => {};
  const take = (key: Key) => {
    const chord = key.name === "text" && key.ctrl ? key.text : "";
    if (chord === "c") kay.interrupt();
    else if (chord === "z") kay.terminal.suspend();
    else onKey(key);
  };
  void kay.terminal.stdin.forget().then(() => {
    if (!isOver) release = readKeys(kay, take);
  });
  return () => {
    isOver = true;
    release();
  };
}
