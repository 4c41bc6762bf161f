import { expect, test } from "vitest";
import { layOutTable } from "#ui/text/table";

const COLUMNS = ["PROVIDER", "STATE", "MODELS", "NEEDS"];
const ROWS = [
  ["google", "not ready", "gemini-flash-latest", "Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY."],
  ["offline", "answers", "offline", ""],
];
const layOut = (columns: string[], rows: string[][], width: number) => {
  const { header, lines } = layOutTable(columns, rows, width);
  return [...(header === null ? [] : [header]), ...lines].join("\n").split("\n");
};

test("N2 a cell without room continues below in its column", () => {
  expect(layOut(COLUMNS, ROWS, 80)).toEqual([
    "PROVIDER  STATE      MODELS               NEEDS",
    "google    not ready  gemini-flash-latest  Set GOOGLE_GENERATIVE_AI_API_KEY or",
    "                                          GEMINI_API_KEY.",
    "offline   answers    offline",
  ]);
});

test("N2 a column whose longest word has no room moves below its rows", () => {
  expect(layOut(COLUMNS, ROWS, 44)).toEqual([
    "PROVIDER  STATE      MODELS",
    "google    not ready  gemini-flash-latest",
    "  NEEDS  Set GOOGLE_GENERATIVE_AI_API_KEY or",
    "         GEMINI_API_KEY.",
    "offline   answers    offline",
  ]);
});

test("N2 where only the first column has room, and for screen readers, each row is a record", () => {
  const record = [
    "google",
    "  STATE   not ready",
    "  MODELS  gemini-flash-latest",
    "  NEEDS   Set GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY.",
    "offline",
    "  STATE   answers",
    "  MODELS  offline",
  ];
  expect(layOut(COLUMNS, ROWS, 0)).toEqual(record);
  expect(layOut(COLUMNS, ROWS, 12).slice(0, 2)).toEqual(["google", "  STATE   not ready"]);
});

test.each([
  ["wide characters", "日本語日本語日本語日本語日本語日本語"],
  ["emoji", "👩‍👩‍👧‍👦 ".repeat(20)],
  ["an address", `https://example.com/${"a".repeat(90)}`],
])("N2 %s keep every character at every width", (_, cell) => {
  const all = (text: string) => text.replace(/\s/g, "");
  for (const width of [1, 10, 20, 40, 80, 200])
    expect(all(layOut(["A", "B"], [["id", cell]], width).join(""))).toContain(all(cell));
});
