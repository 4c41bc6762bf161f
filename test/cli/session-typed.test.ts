import { expect, test } from "vitest";
import { createLineInput } from "#cli/session/line-input";
import { createTerminal } from "#cli/terminal/streams";
import { fakeStreams } from "#test/fake-streams";

const never = new AbortController().signal;

/** A session at streams, and what it shows. */
function session() {
  const streams = fakeStreams(true);
  let shown = "";
  streams.err.on("data", (chunk) => {
    shown += String(chunk);
  });
  const typed = createLineInput(createTerminal(streams));
  return {
    typed,
    type: (text: string) => void streams.typed.write(text),
    shown: () => shown,
    end: () => streams.typed.end(),
  };
}

/** After the prompt is shown. */
const later = (work: () => void) => setTimeout(work, 120);

test("a line is sent with Enter", async () => {
  const { typed, type } = session();
  later(() => type("show KAY-1\n"));
  expect(await typed.text(never)).toBe("show KAY-1");
});

test("a backslash at the end goes on in the next line", async () => {
  const { typed, type, shown } = session();
  later(() => type("one\\\n"));
  setTimeout(() => type("two\n"), 300);
  expect(await typed.text(never)).toBe("one\ntwo");
  expect(shown()).toBe("> . ");
});

test('""" begins and ends a text of several lines', async () => {
  const { typed, type } = session();
  later(() => type('"""\n'));
  setTimeout(() => type("one\n"), 300);
  setTimeout(() => type('two"""\n'), 500);
  expect(await typed.text(never)).toBe("one\ntwo");
});

test("U08 lines that are pasted together are one text", async () => {
  const { typed, type } = session();
  later(() => type("line1\n"));
  setTimeout(() => type("line2\nline3\n"), 125);
  expect(await typed.text(never)).toBe("line1\nline2\nline3");
});

test("U11 what a paste leaves unfinished waits for Enter", async () => {
  const { typed, type } = session();
  later(() => type("first line\n"));
  setTimeout(() => type("second line\nthird"), 125);
  const text = typed.text(never);
  const early = await Promise.race([text, new Promise((resolve) => setTimeout(() => resolve("waits"), 500))]);
  expect(early).toBe("waits");
  type("\n");
  expect(await text).toBe("first line\nsecond line\nthird");
});

test("what was typed before the prompt is sent, in its order", async () => {
  const { typed, type, shown } = session();
  type("one\ntwo\nthr");
  expect(await typed.text(never)).toBe("one");
  expect(await typed.text(never)).toBe("two");
  later(() => type("ee\n"));
  expect(await typed.text(never)).toBe("three");
  expect(shown()).toBe("> one\n> two\n> thr");
});

test("the end of the input is told once and stays", async () => {
  const { typed, end } = session();
  later(end);
  expect([await typed.text(never), await typed.text(never), typed.ended()]).toEqual([null, null, true]);
});
