import { expect, test } from "vitest";
import { formatKeys, shorthand } from "#test/shorthand";
import type { Key } from "#ui/keys/key";
import { createKeyReader } from "#ui/keys/reader";

/** The keys of one read, and of the silence after it. */
function readKeys(...reads: (string | Uint8Array | number)[]): string[] {
  return shorthand(read(...reads));
}

/** Reads one after the other; a number is a silence in ms, after which a timer may have gone off. */
function read(...reads: (string | Uint8Array | number)[]): Key[] {
  const reader = createKeyReader();
  const keys: Key[] = [];
  let time = 1_000;
  for (const item of [...reads, 10_000]) {
    if (typeof item === "number") {
      const wait = reader.getWaitMs();
      if (wait !== null && wait <= item) keys.push(...reader.flush(time + wait));
      time += item;
    } else keys.push(...reader.push(typeof item === "string" ? Buffer.from(item) : item, time));
  }
  return keys;
}

test("each character is a separate key, even if its bytes arrive in two reads", () => {
  expect(readKeys("hé한😀")).toEqual(["h", "é", "한", "😀"]);
  const bytes = Buffer.from("한😀");
  expect(readKeys(bytes.subarray(0, 2), bytes.subarray(2, 4), bytes.subarray(4))).toEqual(["한", "😀"]);
});

test("bytes that are not UTF-8 become no key", () => {
  expect(readKeys(Buffer.from([0x61, 0xff, 0xc3, 0x62, 0xed, 0xa0, 0x80, 0xc2, 0x9b, 0x63, 0xe2, 0x82]))).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("a key has the time of its first byte", () => {
  const keys = read("\x1b", 30, "[A", 5, "\x1b", 200, "x");
  expect(keys.map(({ name, at }) => [name, at])).toEqual([
    ["up", 1_000],
    ["escape", 1_035],
    ["text", 1_235],
  ]);
});

test("U13 an arrow key split over reads is an arrow key, and a lone Escape acts within 100 ms", () => {
  expect(readKeys("\x1b", 30, "[A")).toEqual(["<up>"]);
  expect(readKeys("\x1b[", 200, "A")).toEqual(["<up>"]);
  expect(readKeys("\x1b", 20, "[", 20, "1;5", 20, "D")).toEqual(["<ctrl-left>"]);
  expect(readKeys("\x1bO", 30, "B")).toEqual(["<down>"]);
  expect(readKeys("\x1b", 90, "x")).toEqual(["<escape>", "x"]);
  expect(readKeys("\x1b\x1b")).toEqual(["<escape>", "<escape>"]);
  const reader = createKeyReader();
  reader.push(Buffer.from("\x1b"), 0);
  expect(reader.getWaitMs()).toBeLessThanOrEqual(100);
  expect(reader.flush(20)).toEqual([]);
  expect(shorthand(reader.flush(60))).toEqual(["<escape>"]);
  expect(reader.getWaitMs()).toBeNull();
});

test("U13 the rest of an arrow key that arrives much too late is still not typed", () => {
  expect(readKeys("\x1b", 200, "[A", "x")).toEqual(["<escape>", "<up>", "x"]);
  expect(readKeys("\x1b", 200, "[?24;80R", "x")).toEqual(["<escape>", "x"]);
  expect(readKeys("\x1b", 200, "[200~a\rb\x1b[201~")).toEqual(["<escape>", "<paste>a\nb"]);
  expect(readKeys("\x1b", 200, "[A]")).toEqual(["<escape>", "[", "A", "]"]);
  expect(readKeys("\x1b", 1_000, "[A")).toEqual(["<escape>", "[", "A"]);
  expect(readKeys("\x1b", 200, "[", "A")).toEqual(["<escape>", "[", "A"]);
});

test("an incomplete sequence is dropped, and later keys count", () => {
  expect(readKeys("\x1b[1;", 1_000, "x")).toEqual(["x"]);
  expect(readKeys("\x1b[1;\r", "x")).toEqual(["<enter>", "x"]);
  expect(readKeys("\x1b[1;\x1b[Ax")).toEqual(["<up>", "x"]);
  expect(readKeys("\x1b[", 1_000, "x")).toEqual(["<alt-[>", "x"]);
  expect(readKeys("\x1b]11;rgb:", 2_000, "x")).toEqual(["x"]);
});

test.each([
  ["\x1b[A\x1b[B\x1b[C\x1b[D", "up down right left"],
  ["\x1bOA\x1bOB\x1bOC\x1bOD", "up down right left"],
  ["\x1b[1;5D\x1b[1;3C\x1b[1;2A\x1b[1;6B", "ctrl-left alt-right shift-up ctrl-shift-down"],
  ["\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~\x1bOH\x1bOF", "home end home end home end home end"],
  ["\x1b[3~\x1b[5~\x1b[6~\x1b[3;5~", "delete pageup pagedown ctrl-delete"],
  ["\x1bOd\x1bOc\x1b[a\x1b[3^\x1b[7$\x1b[8@", "ctrl-left ctrl-right shift-up ctrl-delete shift-home ctrl-shift-end"],
  ["\x1b\x1b[D\x1b\x1bOC", "alt-left alt-right"],
  ["\x1b[Z\t", "shift-tab tab"],
  ["\x7f\x08\x1b\x7f\x1b\x08", "backspace backspace alt-backspace alt-backspace"],
  ["\x03\x04\x17\x00\x1f\x1c", "ctrl-c ctrl-d ctrl-w ctrl-space ctrl-_ ctrl-\\"],
  ["\x1bb\x1bé\x1b_", "alt-b alt-é alt-_"],
  ["\x1b\x03", "escape ctrl-c"],
])("%j is %s", (bytes, names) => {
  expect(readKeys(bytes)).toEqual(formatKeys(names));
});

test("Shift+Enter, Alt+Enter and Ctrl+J are distinguished from Enter, in every form that terminals send", () => {
  expect(readKeys("\x1b[13;2u", "\x1b[27;2;13~", "\x0a", "\x1b[106;5u")).toEqual(Array(4).fill("<shift-enter>"));
  expect(readKeys("\x1b\r", "\x1b[13;3u")).toEqual(["<alt-enter>", "<alt-enter>"]);
  expect(readKeys("\x1b[13;5u", "\x1b[27;5;13~", "\x1b[57414;5u")).toEqual(Array(3).fill("<ctrl-enter>"));
  expect(readKeys("\r", "\x1b[13u", "\x1bOM", "\x1b[57414u", "\x1b[109;5u")).toEqual(Array(5).fill("<enter>"));
});

test("keys in kitty's form equal those of the plain form, and a release is not a key", () => {
  expect(readKeys("\x1b[97u", "\x1b[97:65;2u", "\x1b[97;2u", "\x1b[233u", "\x1b[97;65u")).toEqual([
    "a",
    "A",
    "A",
    "é",
    "A",
  ]);
  expect(readKeys("\x1b[99;5u", "\x1b[99;5:1u", "\x1b[99;5:2u", "\x1b[99;5:3u")).toEqual(Array(3).fill("<ctrl-c>"));
  expect(readKeys("\x1b[1;1:1A", "\x1b[1;1:3A", "\x1b[3;5:3~", "\x1b[27u", "\x1b[127;3u")).toEqual(
    formatKeys("up escape alt-backspace"),
  );
  expect(readKeys("\x1b[1089::99;5u", "\x1b[45:95;6u", "\x1b[45;6u")).toEqual(
    formatKeys("ctrl-c ctrl-shift-_ ctrl-shift-_"),
  );
  expect(readKeys("\x1b[97;9u", "\x1b[57358u", "\x1b[57441;2u", "\x1b[55296u", "\x1b[155u")).toEqual([]);
  expect(readKeys("\x1b[0;1;229u", "\x1b[57400u", "\x1b[27;5;99~", "\x1b[27;2;65~")).toEqual(["1", "<ctrl-c>", "A"]);
});

test("U14 reports of the terminal are not keys, wherever they are split", () => {
  const reports = [
    "\x1b[<0;10;20M",
    "\x1b[<0;10;20m",
    "\x1b[M !!",
    "\x1b[32;10;20M",
    "\x1b[?62;1;4c",
    "\x1b[>1;10;0c",
    "\x1b[?2026;2$y",
    "\x1b[?1u",
    "\x1b[48;24;80;0;0t",
    "\x1b]11;rgb:0000/0000/0000\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1bP>|xterm(390)\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[[A",
    "\x1bOP",
    "\x1b[15~",
  ];
  for (const report of reports) {
    expect(readKeys(`a${report}b`)).toEqual(["a", "b"]);
    for (let time = 1; time < report.length; time++)
      expect(readKeys(`a${report.slice(0, time)}`, 20, `${report.slice(time)}b`)).toEqual(["a", "b"]);
  }
  expect(readKeys("a", "\x1b[I", "\x1b[O", "b")).toEqual(["a", "<focus>", "<blur>", "b"]);
  expect(readKeys("a", "\x1b[24;80R", "b")).toEqual(["a", "<position>", "b"]);
  expect(createKeyReader().push(Buffer.from("\x1b[24;80R"), 0)).toMatchObject([{ name: "position", row: 23 }]);
});

test("Ctrl+C ends an endless reply of the terminal", () => {
  expect(readKeys("\x1b]11;rgb:00\x03x")).toEqual(["<ctrl-c>", "x"]);
});
