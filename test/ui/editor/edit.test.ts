// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyNamed, shorthand } from "#test/shorthand";
import {
  breakAtBackslash,
  clearDraft,
  type Draft,
  EMPTY_DRAFT,
  getText,
  insert,
  paste,
  replaceText,
} from "#ui/editor/draft";
import { updateDraft } from "#ui/editor/edit";
import { createKeyReader } from "#ui/keys/reader";

/** Returns the draft after these keys in `shorthand`; `|` marks the cursor in the result. */
function textAfter(draft: Draft | string, ...keys: string[]): string {
  return formatDraft(press(draft, ...keys));
}

function press(draft: Draft | string, ...keys: string[]): Draft {
  return keys
    .map(keyNamed)
    .reduce((now, key) => updateDraft(now, key), typeof draft === "string" ? draftAt(draft) : draft);
}

/** Creates a draft with the cursor at `|`, or at the end. */
function draftAt(marked: string): Draft {
  const cursor = marked.indexOf("|");
  const draft = replaceText(EMPTY_DRAFT, marked.replace("|", ""));
  return cursor < 0 ? draft : { ...draft, cursor };
}

function formatDraft({ text, cursor }: Draft): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

/** Returns the text after these bytes. */
function readAll(...reads: string[]): string {
  const reader = createKeyReader();
  const keys = reads.flatMap((chunk) => reader.push(Buffer.from(chunk), 0));
  return getText(keys.reduce((draft, key) => updateDraft(draft, key), EMPTY_DRAFT));
}

test("U07 Backspace removes a whole user-perceived character", () => {
  expect(readAll("hello 😀\x7f")).toBe("hello ");
  expect(readAll("cafe\u0301\x7f")).toBe("caf");
  expect(readAll("👩‍👩‍👧‍👦\x7f")).toBe("");
  expect(readAll("a👍🏽\x7f", "नि\x7f", "각\x7f", "1️⃣\x7f", "🏴󠁧󠁢󠁥󠁮󠁧󠁿\x7f")).toBe("a");
});

test("U07 the cursor moves over a whole character", () => {
  expect(readAll("🇩🇪", "\x1b[D", "x")).toBe("x🇩🇪");
  expect(textAfter("a👩‍👩‍👧‍👦b", "<left>", "<left>", "x", "<right>", "y")).toBe("ax👩‍👩‍👧‍👦y|b");
  expect(textAfter("|cafe\u0301!", "<right>", "<right>", "<right>", "<delete>")).toBe("caf|!");
});

test("a typed mark joins the character before the cursor, and the cursor is never inside one", () => {
  expect(textAfter("", "e", "\u0301", "<left>", "x")).toBe("x|e\u0301");
  expect(textAfter("|\u0301", "e")).toBe("e\u0301|");
});

test("words follow the language, a run of signs is one, and a line break counts as a space", () => {
  expect(textAfter("one two-three", "<ctrl-left>", "<alt-b>", "<alt-left>")).toBe("one |two-three");
  expect(textAfter("|one  two, three", "<alt-f>", "<ctrl-right>", "<alt-right>")).toBe("one  two,| three");
  expect(textAfter("今日は会議", "<ctrl-w>")).toBe("今日は|");
  expect(textAfter("don't stop 😀", "<ctrl-w>", "<alt-backspace>")).toBe("don't |");
  expect(textAfter("one\n  two", "<ctrl-w>", "<ctrl-w>")).toBe("|");
  expect(textAfter("|one two", "<alt-d>")).toBe("| two");
  expect(textAfter("one |", "<alt-d>", "<ctrl-right>")).toBe("one |");
});

test("Home and End move within the line, and with Ctrl within the draft", () => {
  expect(textAfter("one\ntwo", "<home>", "x", "<ctrl-e>", "y")).toBe("one\nxtwoy|");
  expect(textAfter("one\ntwo", "<ctrl-home>", "<ctrl-e>")).toBe("one|\ntwo");
  expect(textAfter("|one\ntwo", "<ctrl-end>", "<ctrl-a>")).toBe("one\n|two");
});

test("consecutive kills are restored together", () => {
  expect(textAfter("one two three", "<ctrl-w>", "<ctrl-w>", "<ctrl-y>", "!")).toBe("one two three!|");
  expect(textAfter("one |two\nthree", "<ctrl-k>", "<ctrl-k>", "<end>", "<ctrl-y>")).toBe("one threetwo\n|");
  expect(textAfter("one\ntwo|", "<ctrl-u>", "<ctrl-u>", "<ctrl-y>", "<ctrl-y>")).toBe("one\ntwo\ntwo|");
  expect(textAfter("one|", "<ctrl-k>", "<ctrl-y>")).toBe("one|");
  expect(formatDraft(press(clearDraft(press("kept", "<ctrl-u>")), "<ctrl-y>"))).toBe("kept|");
});

test("Up and Down keep their column over short lines, and leave the first and the last row to others", () => {
  expect(textAfter("long line\nx\nanother", "<up>", "<up>")).toBe("long li|ne\nx\nanother");
  expect(textAfter("long li|ne\nx\n日本語!", "<down>", "<down>")).toBe("long line\nx\n日本語!|");
  expect(textAfter("long l|ine\n日本語!", "<down>", "<up>", "<down>")).toBe("long line\n日本語|!");
  const first = draftAt("on|e\ntwo");
  expect(updateDraft(first, keyNamed("<up>"))).toBe(first);
  const last = draftAt("one\ntw|o");
  expect(updateDraft(last, keyNamed("<down>"))).toBe(last);
});

test("U21 Up and Down move over the rows of a long line", () => {
  const room = { width: 10, prompt: "> " };
  const draft = draftAt("abcdefghijklmnopqrstuvwxy|z");
  const up = updateDraft(draft, keyNamed("<up>"), room);
  expect(formatDraft(up)).toBe("abcdefghijklmnopq|rstuvwxyz");
  expect(formatDraft(updateDraft(up, keyNamed("<up>"), room))).toBe("abcdefghi|jklmnopqrstuvwxyz");
  expect(formatDraft(updateDraft(up, keyNamed("<down>"), room))).toBe(formatDraft(draft));
});

test("typing is undone word by word, everything else separately, and can be redone", () => {
  expect(textAfter("", ..."one two", "<ctrl-_>")).toBe("one|");
  expect(textAfter("", ..."one two", "<ctrl-_>", "<ctrl-_>", "<alt-_>", "<alt-_>", "<alt-_>")).toBe("one two|");
  expect(textAfter("one two", "<ctrl-w>", "<ctrl-_>")).toBe("one two|");
  expect(textAfter("", "a", "<paste>long\ntext", "<ctrl-_>")).toBe("a|");
  expect(textAfter("", "a", "<ctrl-_>", "<ctrl-_>", "b", "<alt-_>")).toBe("b|");
});

test("Shift+Enter, Alt+Enter and a backslash before Enter start a new line", () => {
  expect(textAfter("ab", "<left>", "<shift-enter>", "<alt-enter>")).toBe("a\n\n|b");
  expect(breakAtBackslash(draftAt("one \\"))).toMatchObject({ text: "one \n", cursor: 5 });
  expect(breakAtBackslash(draftAt("one\\|two"))).toMatchObject({ text: "one\ntwo", cursor: 4 });
  expect(breakAtBackslash(draftAt("one\\ "))).toBeNull();
  expect(breakAtBackslash(EMPTY_DRAFT)).toBeNull();
});

test("other keys return the same draft", () => {
  const draft = draftAt("text");
  for (const key of "enter escape tab shift-tab ctrl-enter ctrl-c ctrl-r ctrl-g ctrl-l ctrl-z ctrl-x pageup pagedown focus blur alt-x".split(
    " ",
  ))
    expect(updateDraft(draft, keyNamed(`<${key}>`))).toBe(draft);
  expect(updateDraft(EMPTY_DRAFT, keyNamed("<ctrl-d>"))).toBe(EMPTY_DRAFT);
  expect(updateDraft(draft, keyNamed("<ctrl-d>"))).not.toBe(draft);
  expect(updateDraft(EMPTY_DRAFT, keyNamed("<backspace>"))).not.toBe(EMPTY_DRAFT);
});

test("the sent text is the typed one, without half characters and control characters", () => {
  expect(getText(insert(EMPTY_DRAFT, "a\ud83db\udc00\u200b\u202e\tc\r\n\x1b[31m\u0000"))).toBe(
    "ab\u200b\u202e\tc\n[31m",
  );
});

const keys = fc.oneof(
  fc.constantFrom(
    ..."left right up down home end backspace delete ctrl-w alt-d ctrl-left alt-f ctrl-k ctrl-u ctrl-y ctrl-_ alt-_ shift-enter"
      .split(" ")
      .map((name) => `<${name}>`),
  ),
  fc.constantFrom(
    "a",
    " ",
    "é",
    "한",
    "😀",
    "\u0301",
    "\u200d",
    "🇩",
    "👩",
    "\ufe0f",
    "-",
    `<paste>${"x\n".repeat(20)}`,
    "<paste>a\r\nb",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }).filter((text) => !/[\x00-\x1f\x7f-\x9f<]/.test(text)),
);

test("after any keys the cursor is between characters and the text is well-formed", () => {
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 40 }), fc.constantFrom(1, 2, 7, 80), (names, width) => {
      let draft = EMPTY_DRAFT;
      for (const name of names) {
        draft = updateDraft(draft, keyNamed(name), { width, prompt: "> " });
        const places = [...new Intl.Segmenter().segment(draft.text)].map(({ index }) => index);
        expect([...places, draft.text.length]).toContain(draft.cursor);
        expect(getText(draft).isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test("undoing everything gives an empty draft, and redoing everything the previous one", () => {
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 30 }), (names) => {
      const draft = names
        .filter((name) => !/_>$/.test(name))
        .map(keyNamed)
        .reduce((now, key) => updateDraft(now, key), EMPTY_DRAFT);
      let undone = draft;
      while (undone.undo.length > 0) undone = updateDraft(undone, keyNamed("<ctrl-_>"));
      expect(undone.text).toBe("");
      while (undone.redo.length > 0) undone = updateDraft(undone, keyNamed("<alt-_>"));
      expect(getText(undone)).toBe(getText(draft));
    }),
    { numRuns: 300 },
  );
});

test("key names in these tests are correct", () => {
  for (const name of ["x", "<ctrl-left>", "<alt-_>", "<paste>a\nb", "<shift-enter>", "<ctrl-c>"])
    expect(shorthand([keyNamed(name)])).toEqual([name]);
});

test("a long paste is one character, shown by its size, and sent whole", () => {
  const long = Array.from({ length: 812 }, (_, n) => `line ${n}`).join("\n");
  const draft = insert(paste(insert(EMPTY_DRAFT, "see "), long), " ok");
  expect(getText(draft)).toBe(`see ${long} ok`);
  expect(getText(press(draft, "<left>", "<left>", "<left>", "<backspace>"))).toBe("see  ok");
  expect(getText(press(draft, "<ctrl-w>", "<ctrl-w>", "<ctrl-y>"))).toBe(`see ${long} ok`);
  expect(getText(press(draft, "<ctrl-w>", "<ctrl-w>", "<ctrl-_>"))).toBe(`see ${long} `);
  expect(getText(press(clearDraft(press(draft, "<ctrl-u>")), "<ctrl-y>"))).toBe(`see ${long} ok`);
});

test("the placeholder of a fold cannot be typed", () => {
  const draft = paste(EMPTY_DRAFT, "secret ".repeat(200));
  const expected = insert(insert(draft, "[pasted 1,400 characters]"), draft.text);
  expect(getText(expected)).toBe(`${"secret ".repeat(200)}[pasted 1,400 characters]`);
  expect(getText(paste(EMPTY_DRAFT, `\udc00${"\udc01x".repeat(600)}`))).toBe("x".repeat(600));
});
