import stringWidth from "string-width";
import { expect, test } from "vitest";
import { type Key, NO_MODIFIERS } from "#ui/keys/key";
import { createPicker, listMatches, type Picker, type PickerStep, updatePicker } from "#ui/picker/picker";
import { layOutPicker } from "#ui/picker/picker-rows";

const CHOICES = [
  { value: "jira", label: "jira", note: "Jira · connected" },
  { value: "slack", label: "slack", note: "Slack" },
  { value: "github", label: "github", note: "GitHub" },
  ...Array.from({ length: 10 }, (_, index) => ({ value: `s${index}`, label: `service ${index}` })),
];

const key = (name: Key["name"], overrides: Partial<Key> = {}): Key => ({
  name,
  text: "",
  at: 0,
  ...NO_MODIFIERS,
  ...overrides,
});
const text = (text: string) => Array.from(text, (letter) => key("text", { text: letter }));

function press(picker: Picker, ...keys: Key[]): PickerStep {
  return keys.reduce<PickerStep>(
    (step, pressedKey) => (step.chosen === undefined ? updatePicker(step.picker, pressedKey) : step),
    {
      picker,
    },
  );
}

test.for([
  ["Enter takes the first", [key("enter")], ["jira"]],
  ["down and up move, around the ends", [key("up"), key("enter")], ["s9"]],
  ["Ctrl+N and Ctrl+P move", [...[key("text", { text: "n", ctrl: true })], key("enter")], ["slack"]],
  ["typing filters by words of the label and the note", [...text("ira con"), key("enter")], ["jira"]],
  ["a number goes to its choice", [...text("12"), key("enter")], ["s8"]],
  ["Backspace takes back a character", [...text("gitx"), key("backspace"), key("enter")], ["github"]],
  ["Ctrl+U clears the filter", [...text("zzz"), key("text", { text: "u", ctrl: true }), key("enter")], ["jira"]],
  ["Enter without a match does nothing, Escape chooses nothing", [...text("zzz"), key("enter"), key("escape")], null],
  ["Ctrl+C chooses nothing", [key("text", { text: "c", ctrl: true })], null],
  ["a paste is a filter of one line", [key("paste", { text: "git\nrm" }), key("enter")], ["github"]],
] as [string, Key[], string[] | null][])("%s", ([, keys, expected]) => {
  expect(press(createPicker("Which?", CHOICES), ...keys).chosen).toEqual(expected);
});

test("Tab marks several, which are returned in the order of the list", () => {
  const keys = [key("down"), key("tab"), key("up"), key("tab"), key("down"), key("down"), key("enter")];
  expect(press(createPicker("Which?", CHOICES, true), ...keys).chosen).toEqual(["jira", "slack"]);
  expect(
    press(createPicker("Which?", CHOICES, true), key("tab"), key("tab"), key("down"), key("enter")).chosen,
  ).toEqual(["slack"]);
});

test("a label that starts with the filter comes before one that contains it", () => {
  const picker = press(createPicker("Which?", [{ value: "1", label: "my jira" }, ...CHOICES]), ...text("jira")).picker;
  expect(listMatches(picker).map(({ choice }) => choice.label)).toEqual(["jira", "my jira"]);
});

test.for([
  [8, 1],
  [40, 5],
  [80, 12],
  [200, 30],
])(
  "no row is wider than %i cells, and at most %i choices are shown around the current one",
  ([width = 0, maxRows = 0]) => {
    const wide = [
      { value: "w", label: "漢字".repeat(60), note: "a note\u001b[31m of a service\n".repeat(4) },
      ...CHOICES,
    ];
    let picker = createPicker("Which of these very many services do you want to connect?", wide, true);
    for (let index = 0; index <= wide.length; index += 1) {
      const { question, rows, hint, column } = layOutPicker(picker, { width, maxRows });
      for (const line of [question, hint, ...rows.map((row) => row.text)]) {
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(line).not.toContain("\u001b");
      }
      expect(rows.length).toBeLessThanOrEqual(maxRows);
      expect(rows.filter(({ chosen }) => chosen)).toHaveLength(1);
      expect(column).toBeLessThan(width);
      picker = press(picker, key("down")).picker;
    }
  },
);

test("a long label gets most of a narrow row, and a short one leaves it to the note", () => {
  const note = "5 min ago · awaiting approval · 5a96e2";
  const rows = (label: string) =>
    layOutPicker(createPicker("Which?", [{ value: "a", label, note }]), { width: 38, maxRows: 5 }).rows[0]?.text;
  expect(rows("send the open bugs to #general")).toBe("1  send the open bugs t…  5 min ago ·…");
  expect(rows("close KAY-3")).toBe("1  close KAY-3  5 min ago · awaiting …");
});
