import { expect, test } from "vitest";
import { createTerminal } from "#cli/terminal/streams";
import { fakeStreams } from "#test/fake-streams";

const never = new AbortController().signal;

test("input typed before a question never answers it", async () => {
  const streams = fakeStreams(true);
  streams.typed.write("yes\n");
  const answer = createTerminal(streams).stdin.line(never);
  setTimeout(() => streams.typed.write("no\r"), 150);
  expect(await answer).toBe("no");
});

test("input typed after a question is shown counts, however fast", async () => {
  const streams = fakeStreams(true);
  const { stdin } = createTerminal(streams);
  streams.typed.write("yes\n");
  await stdin.forget();
  streams.typed.write("no\r");
  expect(await stdin.line(never)).toBe("no");
});

/** Types reads one after another into a prompt, and returns the lines and all that was echoed. */
async function typeLines(reads: string[], count = 1) {
  const streams = fakeStreams(true);
  const { stdin } = createTerminal(streams);
  await stdin.forget();
  const lines = [stdin.line(never)];
  for (const read of reads) streams.typed.write(read);
  for (let remaining = 1; remaining < count; remaining++)
    lines.push(lines.at(-1)?.then(() => stdin.line(never, { more: true })) as never);
  return { lines: await Promise.all(lines), shown: String(streams.err.read() ?? ""), streams };
}

const ESCAPES = ["\x1b", "\x1b[A", "\x1bOB", "\x1b[1;5C", "\x1b[3~"];

test("N43 Escape, arrows and other special keys at a line prompt show nothing and are not in the line", async () => {
  for (const key of [...ESCAPES, "\x00", "\x1c", "\x1f"]) {
    const { lines, shown } = await typeLines(["y", key, "es\r"]);
    expect({ key, lines, shown }).toEqual({ key, lines: ["yes"], shown: "yes\n" });
  }
  expect((await typeLines(["y\x1b", "[", "D\r"])).lines).toEqual(["y"]);
  expect((await typeLines(["\x1b", "yes\r"])).lines).toEqual(["yes"]);
});

test("a typed line is edited as in the terminal's own mode, by whole characters", async () => {
  const { lines, shown } = await typeLines(["no way\x17", "日👩‍💻\x7f\x7f", "\x15maybe\r"]);
  expect(lines).toEqual(["maybe"]);
  expect(shown).toBe(`no way${"\b \b".repeat(3)}日👩‍💻${"\b \b".repeat(4)}${"\b \b".repeat(3)}maybe\n`);
  expect((await typeLines(["\x04"])).lines).toEqual([null]);
  expect((await typeLines(["a\x04\r"])).lines).toEqual(["a"]);
  expect((await typeLines(["\x03a\r"])).streams.interrupts).toBe(1);
});

test("lines that are pasted together are read one after another, and shown once", async () => {
  const { lines, shown, streams } = await typeLines(["one\rtwo\rthree\r"], 3);
  expect([lines, shown]).toEqual([["one", "two", "three"], "one\ntwo\nthree\n"]);
  expect(streams.modes.at(-1)).toBe(false);
});

test("Ctrl+C interrupts even while typed input is being dropped", async () => {
  const streams = fakeStreams(true);
  const forgotten = createTerminal(streams).stdin.forget();
  streams.typed.write("y\x03");
  await forgotten;
  expect([streams.interrupts, streams.modes]).toEqual([1, [true, false]]);
});

test("the end of the input is not an answer", async () => {
  const streams = fakeStreams(false);
  streams.typed.end();
  expect(await createTerminal(streams).stdin.line(never)).toBeNull();
});

test("a line from a pipe is its first line, even if it arrives in pieces that split characters, or has no end", async () => {
  for (const [text, line] of [
    ["gehe über\r\nmehr", "gehe über"],
    ["ohne é", "ohne é"],
  ] as const) {
    const streams = fakeStreams(false);
    for (const byte of Buffer.from(text)) streams.typed.write(Uint8Array.of(byte));
    streams.typed.end();
    expect(await createTerminal(streams).stdin.line(never)).toBe(line);
  }
});

test("a wait for a line ends with the signal", async () => {
  const ending = new AbortController();
  const line = createTerminal(fakeStreams(false)).stdin.line(ending.signal);
  ending.abort("SIGINT");
  expect(await line).toBeNull();
});

test("restore resets the terminal in any state", () => {
  const streams = fakeStreams(true);
  const terminal = createTerminal(streams);
  terminal.stdin.bytes(() => {});
  terminal.restore();
  terminal.restore();
  expect(streams.modes).toEqual([true, false]);
});

test("no key is read, and no mode changed, if stdin is not a terminal", () => {
  const streams = fakeStreams(false);
  createTerminal(streams).stdin.bytes(() => {})();
  expect(streams.modes).toEqual([]);
});

test("a closed reader of stdout ends the command, one of stderr does not", async () => {
  for (const [name, lostStream] of [
    ["out", 1],
    ["err", 0],
  ] as const) {
    const streams = fakeStreams(false);
    const terminal = createTerminal(streams);
    terminal.stdout.write("a");
    terminal.stderr.write("b");
    streams[name].emit("error", Object.assign(new Error("EPIPE"), { code: "EPIPE" }));
    expect(streams.gone).toBe(lostStream);
  }
});

test("a terminal of unknown width has 80 columns, and KAY_FORCE_TTY sets any width", () => {
  expect(createTerminal(fakeStreams(true)).stdout.columns()).toBe(80);
  const forced = createTerminal({ ...fakeStreams(false), forcedColumns: 33 });
  expect([forced.stdout.isTerminal, forced.stdout.columns(), forced.stdin.isTerminal]).toEqual([true, 33, false]);
});
