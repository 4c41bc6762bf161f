// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shorthand } from "#test/shorthand";
import type { Key } from "#ui/keys/key";
import { createKeyReader } from "#ui/keys/reader";

/** Reads `gap` ms apart, and a long silence. */
function read(reads: (string | Uint8Array)[], gap = 0): Key[] {
  const reader = createKeyReader();
  const keys = reads.flatMap((chunk, n) =>
    reader.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk, n * gap),
  );
  while (reader.getWaitMs() !== null) keys.push(...reader.flush(1e9));
  return keys;
}

const readKeys = (...reads: string[]) => shorthand(read(reads, 500));

test("U08 a bracketed paste is one key with its line breaks, and submits nothing", () => {
  expect(readKeys("\x1b[200~line1\rline2\r\nline3\n\x1b[201~", "\r")).toEqual([
    "<paste>line1\nline2\nline3\n",
    "<enter>",
  ]);
});

test("U08 the markers may be split anywhere, and are never inserted", () => {
  const bytes = "a\x1b[200~one\r\ntwo\x1b[2 x\x1b[200~ three\x1b[201~b";
  for (let index = 0; index <= bytes.length; index++) {
    expect(shorthand(read([bytes.slice(0, index), bytes.slice(index)]))).toEqual(["a", "<paste>one\ntwo three", "b"]);
  }
  expect(readKeys("a\x1b[201~b")).toEqual(["a", "b"]);
});

test("a paste keeps its tabs, and loses control sequences and control characters", () => {
  expect(readKeys("\x1b[200~a\tb\x1b[31mred\x1b[0m\x00\x07\x08\x7f\u009b1m\x1b]0;title\x07!\x1b[201~")).toEqual([
    "<paste>a\tbred1m!",
  ]);
});

test("an empty paste is not a key", () => {
  expect(readKeys("\x1b[200~\x1b[201~")).toEqual([]);
});

test("an unclosed paste ends after two seconds of silence", () => {
  const reader = createKeyReader();
  expect(reader.push(Buffer.from("\x1b[200~half\x1b[20"), 0)).toEqual([]);
  expect(reader.getWaitMs()).toBe(2_000);
  expect(shorthand(reader.flush(2_000))).toEqual(["<paste>half"]);
  expect(shorthand(reader.push(Buffer.from("\r"), 2_100))).toEqual(["<enter>"]);
});

test("U11 several lines in one read are a paste, and a lone return is Enter", () => {
  expect(readKeys("first line\rsecond line\rthird", "\r")).toEqual([
    "<paste>first line\nsecond line\nthird",
    "<enter>",
  ]);
  expect(readKeys("a\nb\r")).toEqual(["<paste>a\nb\n"]);
  expect(readKeys("a\r\nb\r\n")).toEqual(["<paste>a\nb\n"]);
  expect(readKeys("a\r\r")).toEqual(["<paste>a\n\n"]);
  expect(readKeys("\rabc")).toEqual(["<paste>\nabc"]);
  expect(readKeys("a\r\tb\r")).toEqual(["<paste>a\n\tb\n"]);
  expect(readKeys("\r\r")).toEqual(["<enter>", "<enter>"]);
});

test("U11 a text with one Enter at its end is typed, as scripts write it", () => {
  expect(readKeys("abc\r")).toEqual(["a", "b", "c", "<enter>"]);
  expect(readKeys("abc\r\n")).toEqual(["a", "b", "c", "<enter>"]);
  expect(readKeys("/co\tslack\r")).toEqual([..."/co", "<tab>", ..."slack", "<enter>"]);
  expect(readKeys("ab\x1b[Dc\r")).toEqual(["a", "b", "<left>", "c", "<enter>"]);
  expect(readKeys(`${"é😀".repeat(150)}\r`)).toEqual([`<paste>${"é😀".repeat(150)}`, "<enter>"]);
});

test("U11 a long paste without brackets that arrives in pieces is a paste to its end", () => {
  const reader = createKeyReader();
  const pieces = ["one\rtwo\r", "three", "\rfo", "u", "r\r"].map((piece, n) => reader.push(Buffer.from(piece), n * 5));
  expect(pieces.map(shorthand)).toEqual([
    ["<paste>one\ntwo\n"],
    ["<paste>three"],
    ["<paste>\nfo"],
    ["u"],
    ["<paste>r\n"],
  ]);
  expect(shorthand(reader.push(Buffer.from("\r"), 25))).toEqual(["<enter>"]);
  expect(shorthand(reader.push(Buffer.from("ok\r"), 500))).toEqual(["o", "k", "<enter>"]);
});

/** Bytes of every relevant kind, in unlikely order. */
const pieces = fc.oneof(
  fc.constantFrom(
    "\x1b",
    "\x1b[",
    "\x1b[A",
    "\x1b[1;5",
    "\x1bO",
    "\x1b]",
    "\x1bP",
    "\x1b\\",
    "\x07",
    "\x1b[M",
    "\x1b[[",
    "~",
    "u",
  ),
  fc.constantFrom(
    "\x1b[200~",
    "\x1b[201~",
    "\x1b[20",
    "\x1b[13;2u",
    "\x1b\x1b[A",
    "\x03",
    "\x7f",
    ";",
    ":",
    "$",
    "é",
    "한",
    "😀",
  ),
  fc.string({ unit: fc.constantFrom("a", "1", "[", "O", " ", "e\u0301") }),
);
const bytesOfAllKinds = fc.oneof(
  fc.array(pieces).map((all) => new Uint8Array(Buffer.from(all.join("")))),
  fc
    .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x1b, 0x5b, 0x9b)), { maxLength: 80 })
    .map((all) => Uint8Array.from(all.filter((byte) => ![0x0a, 0x0d].includes(byte)))),
);

test("wherever the bytes are split, the keys are the same", () => {
  fc.assert(
    fc.property(bytesOfAllKinds, fc.array(fc.nat({ max: 200 })), (bytes, positions) => {
      const cuts = [
        0,
        ...positions.map((position) => Math.min(position, bytes.length)).sort((a, b) => a - b),
        bytes.length,
      ];
      const reads = cuts.slice(1).map((to, n) => bytes.slice(cuts[n], to));
      expect(shorthand(read(reads))).toEqual(shorthand(read([bytes])));
    }),
    { numRuns: 1_000 },
  );
});

test("no text has a control character or half a character", () => {
  const bytes = fc.oneof(bytesOfAllKinds, fc.uint8Array({ maxLength: 400 }));
  fc.assert(
    fc.property(bytes, fc.boolean(), (raw, isPaste) => {
      const all = isPaste ? [Buffer.from("\x1b[200~"), raw, Buffer.from("\x1b[201~")] : [raw];
      for (const { name, text } of read(all)) {
        expect(text).not.toMatch(name === "paste" ? /[\x00-\x08\x0b-\x1f\x7f-\x9f]/ : /[\x00-\x1f\x7f-\x9f]/);
        expect(text.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
