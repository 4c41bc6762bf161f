import { expect, test } from "vitest";
import { createLineInput } from "#cli/session/line-input";
import { createTerminal } from "#cli/terminal/streams";
import { fakeStreams } from "#test/fake-streams";

const never = new AbortController().signal;

/** A session at streams, and what it shows. */
function session() {
  const streams = fakeStreams(true);
  let output = "";
  streams.err.on("data", (chunk) => {
    output += String(chunk);
  });
  const input = createLineInput(createTerminal(streams));
  const type = (text: string) => void streams.typed.write(text);
  const listens: string[] = [];
  const push = streams.modes.push.bind(streams.modes);
  streams.modes.push = (...on) => {
    const text = on[0] ? listens.shift() : undefined;
    if (text) setImmediate(type, text);
    return push(...on);
  };
  return {
    typed: input,
    type,
    /** Input typed as soon as the terminal listens for keys, before the prompt and after each line; "" for none. */
    typeWhileListening: (...texts: string[]) => void listens.push(...texts),
    /** Types once exactly this is shown. */
    typeAt: (all: string, text: string) =>
      expect
        .poll(() => output)
        .toBe(all)
        .then(() => type(text)),
    shown: () => output,
    end: () => streams.typed.end(),
  };
}

test("a line is sent with Enter", async () => {
  const { typed, typeAt } = session();
  const text = typed.text(never);
  await typeAt("> ", "show KAY-1\n");
  expect(await text).toBe("show KAY-1");
});

test("a backslash at the end continues in the next line", async () => {
  const { typed, typeAt, shown } = session();
  const text = typed.text(never);
  await typeAt("> ", "one\\\n");
  await typeAt("> one\\\n. ", "two\n");
  expect(await text).toBe("one\ntwo");
  expect(shown()).toBe("> one\\\n. two\n");
});

test('""" begins and ends a text of several lines', async () => {
  const { typed, typeAt } = session();
  const text = typed.text(never);
  await typeAt("> ", '"""\n');
  await typeAt('> """\n. ', "one\n");
  await typeAt('> """\n. one\n. ', 'two"""\n');
  expect(await text).toBe("one\ntwo");
});

test("U08 lines pasted together are one text", async () => {
  const { typed, typeAt, typeWhileListening } = session();
  typeWhileListening("", "", "line2\nline3\n");
  const text = typed.text(never);
  await typeAt("> ", "line1\n");
  expect(await text).toBe("line1\nline2\nline3");
});

test("U08 lines that a paste delivers in one read are one text, and shown", async () => {
  const { typed, typeAt, shown } = session();
  const text = typed.text(never);
  await typeAt("> ", "line1\rline2\rline3\r");
  expect(await text).toBe("line1\nline2\nline3");
  expect(shown()).toBe("> line1\nline2\nline3\n");
});

test("U11 an unfinished line of a paste waits for Enter", async () => {
  const { typed, type, typeAt, typeWhileListening } = session();
  typeWhileListening("", "", "second line\nthird");
  const text = typed.text(never);
  await typeAt("> ", "first line\n");
  const early = await Promise.race([text, new Promise((resolve) => setTimeout(() => resolve("waits"), 500))]);
  expect(early).toBe("waits");
  type("\n");
  expect(await text).toBe("first line\nsecond line\nthird");
});

test("text typed before the prompt is sent, in order", async () => {
  const { typed, type, typeAt, shown } = session();
  type("one\ntwo\nthr");
  expect(await typed.text(never)).toBe("one");
  expect(await typed.text(never)).toBe("two");
  const last = typed.text(never);
  await typeAt("> one\n> two\n> thr", "ee\n");
  expect(await last).toBe("three");
  expect(shown()).toBe("> one\n> two\n> three\n");
});

test("the end of the input is reported once and stays", async () => {
  const { typed, end } = session();
  const text = typed.text(never);
  end();
  expect([await text, await typed.text(never), typed.hasEnded()]).toEqual([null, null, true]);
});
