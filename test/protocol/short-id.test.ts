import { expect, test } from "vitest";
import { createIdShortener, findIds, shortenId } from "#protocol/short-id";

const hex = (start: string) => start.padEnd(32, "0");
const IDS = [`session_1767225600000_${hex("3f9a021b")}`, `session_1767225600001_${hex("3f9a02c")}`, `int_${hex("aa")}`];

test("a short ID is the first characters that no other listed ID has, at least six", () => {
  expect(IDS.map(createIdShortener(IDS))).toEqual(["3f9a021", "3f9a02c", "aa0000"]);
  expect(shortenId(IDS[0] ?? "")).toBe("3f9a02");
});

test.for(["int_1", "550e8400-e29b-41d4-a716-446655440000", "session_1", "", "gen_nothexnothexnothexnothex"])(
  "%j stays whole",
  (id) => expect(shortenId(id)).toBe(id),
);

test.for([
  [IDS[0], [0]],
  ["3f9a021", [0]],
  ["3F9A021", [0]],
  ["3f9a02", [0, 1]],
  ["session_1767225600001", [1]],
  ["int_aa", [2]],
  ["aa", []],
  ["zzz", []],
] as [string, number[]][])("%s means %j", ([typed, found]) => {
  expect(findIds(typed, IDS)).toEqual(found.map((index) => IDS[index]));
});
