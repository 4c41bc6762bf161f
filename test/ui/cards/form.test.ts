import { describe, expect, test } from "vitest";
import type { InputField } from "#protocol/interactions";
import { cardOf, ctrl, key, NOW, pasting, pressed, typing } from "#test/cards";
import { form } from "#test/parts";
import type { CardUi } from "#ui/cards/card-state";
import { applyEdit, rejectAnswer, updateCard } from "#ui/cards/update-card";

const options = ["low", "mid", "high"].map((value) => ({ value, label: `${value} one` }));

function formOf(fields: InputField[], overrides: Parameters<typeof form>[0] = {}) {
  return cardOf(form({ input_schema: { type: "form", fields }, ...overrides }));
}

function fieldOf(type: InputField["type"], overrides: Partial<InputField> = {}): InputField {
  return { id: "a", label: "A", type, ...overrides };
}

/** Returns the submitted value after these keys in a form of one field. */
function submitted(field: InputField, keys: Parameters<typeof pressed>[1]) {
  return pressed(formOf([field]), [...keys, key("enter"), key("enter")]).acts;
}

function submits(value: unknown) {
  return [{ do: "answer", answer: { action: "submit", input: value === undefined ? {} : { a: value } } }];
}

describe("a field of a form", () => {
  test("of text takes what is typed and pasted, in one line", () => {
    expect(submitted(fieldOf("text"), [...typing("1 d b "), pasting("x\ny")])).toEqual(submits("1 d b x y"));
  });

  test("of several lines takes line breaks by Ctrl+J, Shift+Enter, and Enter after a backslash", () => {
    const keys = [
      ...typing("a"),
      ctrl("j"),
      ...typing("b"),
      key("enter", { shift: true }),
      ...typing("c\\"),
      key("enter"),
      pasting("d\ne"),
    ];
    expect(submitted(fieldOf("textarea"), keys)).toEqual(submits("a\nb\nc\nd\ne"));
  });

  test.each(["select", "radio"] as const)("of one choice (%s) takes arrows, space and numbers", (type) => {
    const field = fieldOf(type, { options });
    expect(submitted(field, [])).toEqual(submits(undefined));
    expect(submitted(field, typing(" "))).toEqual(submits("low"));
    expect(submitted(field, [key("right"), key("right")])).toEqual(submits("mid"));
    expect(submitted(field, [key("left")])).toEqual(submits("high"));
    expect(submitted(field, typing("3"))).toEqual(submits("high"));
    expect(submitted(field, typing("4x"))).toEqual(submits(undefined));
  });

  test("that is a checkbox is yes or no", () => {
    expect(submitted(fieldOf("checkbox"), [])).toEqual(submits(false));
    expect(submitted(fieldOf("checkbox"), typing(" "))).toEqual(submits(true));
    expect(submitted(fieldOf("checkbox", { defaultValue: true }), [key("left")])).toEqual(submits(false));
  });

  test("that is a checkbox of several options takes any of them, in their order", () => {
    const field = fieldOf("checkbox", { options, defaultValue: ["mid"] });
    expect(submitted(field, [])).toEqual(submits(["mid"]));
    expect(submitted(field, [key("right"), key("right"), ...typing(" 1")])).toEqual(submits(["low", "mid", "high"]));
    expect(submitted(field, [key("right"), ...typing(" ")])).toEqual(submits([]));
  });

  test("has its initial value, otherwise its default", () => {
    const field = fieldOf("text", { defaultValue: "d" });
    expect(submitted(field, [])).toEqual(submits("d"));
    const card = formOf([field], { initial_values: { a: "i" } });
    expect(pressed(card, [key("enter"), key("enter")]).acts).toEqual(submits("i"));
  });

  test("keeps no value outside its options", () => {
    expect(submitted(fieldOf("select", { options, defaultValue: "huge" }), [])).toEqual(submits(undefined));
  });

  test("may be named like a property of every object", () => {
    const field = { id: "constructor", label: "C", type: "text" as const };
    expect(pressed(formOf([field]), [...typing("x"), key("enter"), key("enter")]).acts).toEqual([
      { do: "answer", answer: { action: "submit", input: { constructor: "x" } } },
    ]);
  });

  test("loses whole characters, never halves", () => {
    const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}";
    const keys = [
      pasting(`cafe\u0301 😀${family}`),
      key("backspace"),
      key("backspace"),
      key("backspace"),
      key("backspace"),
    ];
    expect(submitted(fieldOf("text"), keys)).toEqual(submits("caf"));
  });
});

describe("a form", () => {
  const fields = [
    fieldOf("text", { id: "summary", label: "Summary", required: true }),
    fieldOf("textarea", { id: "text", label: "Text" }),
    fieldOf("select", { id: "size", label: "Size", required: true, options }),
  ];
  const card = formOf(fields);
  const fillKeys = [...typing("s"), key("tab"), ...typing("t"), key("tab"), ...typing("2")];

  test("moves between fields by Tab, Enter and arrows, and to the review after the last", () => {
    const stateAfter = (keys: Parameters<typeof pressed>[1]) => {
      const { ui } = pressed(card, keys);
      return ui.type === "form" ? [ui.step, ui.fill.at] : [];
    };
    expect(stateAfter([key("down"), key("down"), key("down")])).toEqual(["fill", 2]);
    expect(stateAfter([key("tab"), key("enter"), key("up"), key("tab", { shift: true })])).toEqual(["fill", 0]);
    expect(stateAfter([...fillKeys, key("tab")])).toEqual(["review", 2]);
    expect(stateAfter([...fillKeys, key("tab"), ...typing("b"), key("up")])).toEqual(["fill", 1]);
  });

  test("is submitted by Enter at its review, but not by the repeated Enter that led there", () => {
    const { ui } = pressed(card, [...fillKeys, key("enter")]);
    const last = NOW + fillKeys.length * 1_000;
    const soon = updateCard(ui, card, key("enter", { at: last + 30 }));
    expect(soon.act).toBeUndefined();
    const stillHeld = updateCard(soon.ui, card, key("enter", { at: last + 320 }));
    expect(stillHeld.act).toBeUndefined();
    expect(updateCard(stillHeld.ui, card, key("enter", { at: last + 700 })).act).toEqual({
      do: "answer",
      answer: { action: "submit", input: { summary: "s", text: "t", size: "mid" } },
    });
  });

  test("reports missing values at their field, and goes there", () => {
    const { ui, acts } = pressed(card, [key("tab"), key("tab"), key("enter")]);
    expect(acts).toEqual([]);
    const error = "This field is required.";
    expect(ui).toMatchObject({ step: "fill", fill: { at: 0, entries: [{ error }, { error: undefined }, { error }] } });
    expect(pressed(card, typing("x"), ui).ui).toMatchObject({
      fill: { entries: [{ error: undefined }, {}, { error }] },
    });
  });

  test("is declined with d at the review, or with Ctrl+D, with a reason or without", () => {
    const declined = [{ do: "answer", answer: { action: "deny", reason: "no" } }];
    expect(pressed(card, [...fillKeys, key("enter"), ...typing("dno"), key("enter")]).acts).toEqual(declined);
    expect(pressed(card, [ctrl("d"), ...typing("no"), key("enter")]).acts).toEqual(declined);
    expect(pressed(card, [ctrl("d"), key("enter")]).acts).toEqual([{ do: "answer", answer: { action: "deny" } }]);
    expect(pressed(card, [ctrl("d"), key("escape")])).toMatchObject({ ui: { step: "fill", sent: false }, acts: [] });
  });

  test("is canceled by Escape, which asks first if something was filled in", () => {
    const cancelled = [{ do: "answer", answer: { action: "cancel" } }];
    expect(pressed(card, [key("escape")]).acts).toEqual(cancelled);
    expect(pressed(card, [...typing("s"), key("escape")])).toMatchObject({ ui: { step: "leave" }, acts: [] });
    expect(pressed(card, [...typing("s"), key("escape"), key("escape")]).acts).toEqual(cancelled);
    const { ui } = pressed(card, [...typing("s"), key("escape"), ...typing("t")]);
    expect(ui).toMatchObject({ step: "fill", fill: { entries: [{ typing: { text: "st" } }, {}, {}] } });
  });

  test("that is asked again has its values, and the error at the named field", () => {
    const retried = formOf(fields, {
      error: "“Size” must be one of them.",
      initial_values: { summary: "s", size: "mid" },
    });
    expect(pressed(retried, []).ui).toMatchObject({
      fill: { at: 2, entries: [{ typing: { text: "s" } }, {}, { value: "mid", error: "“Size” must be one of them." }] },
    });
  });

  test("that the backend refuses keeps its values", () => {
    const { ui } = pressed(card, [...fillKeys, key("enter"), key("enter")]);
    expect(rejectAnswer(ui, "Summary: It is too short.")).toMatchObject({
      step: "fill",
      sent: false,
      fill: { at: 0, entries: [{ typing: { text: "s" }, error: "Summary: It is too short." }, {}, { value: "mid" }] },
    });
    expect(rejectAnswer(ui, "The backend is busy.")).toMatchObject({ step: "review", error: "The backend is busy." });
  });

  test("opens a text in the editor and takes it back", () => {
    const { ui, acts } = pressed(card, [key("tab"), ...typing("t"), ctrl("g")]);
    expect(acts).toEqual([{ do: "edit", text: "t" }]);
    expect(applyEdit(ui, card, "one\ntwo\n")).toMatchObject({
      fill: { entries: [{}, { typing: { text: "one\ntwo" } }, {}] },
    });
    expect(applyEdit(ui, card, null)).toMatchObject({ error: "No editor found. Set EDITOR." });
  });

  test("never asks for a secret, and cannot be submitted without one that it needs", () => {
    const secret = fieldOf("text", { id: "pw", label: "Password" });
    const optional = formOf([secret, fieldOf("text")]);
    expect(pressed(optional, [...typing("x"), key("enter"), key("enter")]).acts).toEqual(submits("x"));
    const incomplete = formOf([{ ...secret, required: true }, fieldOf("text")]);
    expect(pressed(incomplete, [...typing("x"), key("enter"), key("enter")]).acts).toEqual([]);
    expect(pressed(incomplete, [...typing("d"), key("enter")]).acts).toEqual([
      { do: "answer", answer: { action: "deny" } },
    ]);
    expect(pressed(incomplete, [key("escape")]).acts).toEqual([{ do: "answer", answer: { action: "cancel" } }]);
  });

  test("without fields is reviewed and submitted", () => {
    expect(pressed(formOf([]), [key("enter"), key("enter")]).acts).toEqual(submits(undefined));
  });
});

describe("N62 a value that a field does not accept", () => {
  const fields: InputField[] = [
    fieldOf("text", { id: "title", label: "Title", required: true, limits: { minLength: 3 } }),
    fieldOf("text", { id: "many", label: "How many", limits: { format: "integer", minimum: 1, maximum: 10 } }),
    fieldOf("text", { id: "mail", label: "E-mail", limits: { format: "email" } }),
    fieldOf("text", { id: "day", label: "Day", limits: { format: "date" } }),
  ];
  const errorsOf = (ui: CardUi) => (ui.type === "form" ? ui.fill.entries.map(({ error }) => error) : []);

  test("is reported when the field is left, without holding the user there", () => {
    const { ui } = pressed(formOf(fields), [
      ...typing("ab"),
      key("tab"),
      ...typing("zero"),
      key("enter"),
      ...typing("x"),
    ]);
    expect(errorsOf(ui)).toEqual([
      "“Title” must have at least 3 characters.",
      "“How many” must be a number.",
      undefined,
      undefined,
    ]);
    expect(ui).toMatchObject({ step: "fill", fill: { at: 2 } });
  });

  test("keeps the form from its review, with every error at its field, until all are fixed", () => {
    const wrong = [...typing("ab"), key("tab"), ...typing("11"), key("tab"), ...typing("not-mail"), key("tab")];
    const card = formOf(fields);
    const { ui, acts } = pressed(card, [...wrong, ...typing("31.12.2026"), key("enter"), key("enter")]);
    expect(acts).toEqual([]);
    expect(errorsOf(ui)).toEqual([
      "“Title” must have at least 3 characters.",
      "“How many” must be at most 10.",
      "“E-mail” must be an email address.",
      "“Day” must be a date such as 2026-11-27.",
    ]);
    expect(ui).toMatchObject({ step: "fill" });
  });

  test("is not an empty one", () => {
    expect(
      pressed(formOf(fields), [...typing("abc"), key("tab"), key("tab"), key("tab"), key("enter")]).ui,
    ).toMatchObject({
      step: "review",
    });
  });

  test("that the backend refused is shown at each field that its sentences name", () => {
    const card = formOf(fields, { error: "“Title” is taken. “Day” is a Sunday." });
    const { ui } = pressed(card, []);
    expect(errorsOf(ui)).toEqual(["“Title” is taken.", undefined, undefined, "“Day” is a Sunday."]);
  });
});
