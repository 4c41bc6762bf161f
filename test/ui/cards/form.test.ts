import { describe, expect, test } from "vitest";
import type { InputField } from "#protocol/interactions";
import { createCard, ctrl, key, NOW, pasteText, pressKeys, typeText } from "#test/cards";
import { form } from "#test/parts";
import type { CardUi } from "#ui/cards/card-state";
import { applyEdit, rejectAnswer, updateCard } from "#ui/cards/update-card";

const options = ["low", "mid", "high"].map((value) => ({ value, label: `${value} one` }));

function createFormCard(fields: InputField[], overrides: Parameters<typeof form>[0] = {}) {
  return createCard(form({ input_schema: { type: "form", fields }, ...overrides }));
}

function createField(type: InputField["type"], overrides: Partial<InputField> = {}): InputField {
  return { id: "a", label: "A", type, ...overrides };
}

/** Returns the submitted value after these keys in a form of one field. */
function submitField(field: InputField, keys: Parameters<typeof pressKeys>[1]) {
  return pressKeys(createFormCard([field]), [...keys, key("enter"), key("enter")]).acts;
}

function createSubmit(value: unknown) {
  return [{ do: "answer", answer: { action: "submit", input: value === undefined ? {} : { a: value } } }];
}

describe("a field of a form", () => {
  test("of text takes what is typed and pasted, in one line", () => {
    expect(submitField(createField("text"), [...typeText("1 d b "), pasteText("x\ny")])).toEqual(
      createSubmit("1 d b x y"),
    );
  });

  test("of several lines takes line breaks by Ctrl+J, Shift+Enter, and Enter after a backslash", () => {
    const keys = [
      ...typeText("a"),
      ctrl("j"),
      ...typeText("b"),
      key("enter", { shift: true }),
      ...typeText("c\\"),
      key("enter"),
      pasteText("d\ne"),
    ];
    expect(submitField(createField("textarea"), keys)).toEqual(createSubmit("a\nb\nc\nd\ne"));
  });

  test.each(["select", "radio"] as const)("of one choice (%s) takes arrows, space and numbers", (type) => {
    const field = createField(type, { options });
    expect(submitField(field, [])).toEqual(createSubmit(undefined));
    expect(submitField(field, typeText(" "))).toEqual(createSubmit("low"));
    expect(submitField(field, [key("right"), key("right")])).toEqual(createSubmit("mid"));
    expect(submitField(field, [key("left")])).toEqual(createSubmit("high"));
    expect(submitField(field, typeText("3"))).toEqual(createSubmit("high"));
    expect(submitField(field, typeText("4x"))).toEqual(createSubmit(undefined));
  });

  test("that is a checkbox is yes or no", () => {
    expect(submitField(createField("checkbox"), [])).toEqual(createSubmit(false));
    expect(submitField(createField("checkbox"), typeText(" "))).toEqual(createSubmit(true));
    expect(submitField(createField("checkbox", { defaultValue: true }), [key("left")])).toEqual(createSubmit(false));
  });

  test("that is a checkbox of several options takes any of them, in their order", () => {
    const field = createField("checkbox", { options, defaultValue: ["mid"] });
    expect(submitField(field, [])).toEqual(createSubmit(["mid"]));
    expect(submitField(field, [key("right"), key("right"), ...typeText(" 1")])).toEqual(
      createSubmit(["low", "mid", "high"]),
    );
    expect(submitField(field, [key("right"), ...typeText(" ")])).toEqual(createSubmit([]));
  });

  test("has its initial value, otherwise its default", () => {
    const field = createField("text", { defaultValue: "d" });
    expect(submitField(field, [])).toEqual(createSubmit("d"));
    const card = createFormCard([field], { initial_values: { a: "i" } });
    expect(pressKeys(card, [key("enter"), key("enter")]).acts).toEqual(createSubmit("i"));
  });

  test("keeps no value outside its options", () => {
    expect(submitField(createField("select", { options, defaultValue: "huge" }), [])).toEqual(createSubmit(undefined));
  });

  test("may be named like a property of every object", () => {
    const field = { id: "constructor", label: "C", type: "text" as const };
    expect(pressKeys(createFormCard([field]), [...typeText("x"), key("enter"), key("enter")]).acts).toEqual([
      { do: "answer", answer: { action: "submit", input: { constructor: "x" } } },
    ]);
  });

  test("loses whole characters, never halves", () => {
    const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466}";
    const keys = [
      pasteText(`cafe\u0301 😀${family}`),
      key("backspace"),
      key("backspace"),
      key("backspace"),
      key("backspace"),
    ];
    expect(submitField(createField("text"), keys)).toEqual(createSubmit("caf"));
  });
});

describe("a form", () => {
  const fields = [
    createField("text", { id: "summary", label: "Summary", required: true }),
    createField("textarea", { id: "text", label: "Text" }),
    createField("select", { id: "size", label: "Size", required: true, options }),
  ];
  const card = createFormCard(fields);
  const fillKeys = [...typeText("s"), key("tab"), ...typeText("t"), key("tab"), ...typeText("2")];

  test("moves between fields by Tab, Enter and arrows, and to the review after the last", () => {
    const stateAfter = (keys: Parameters<typeof pressKeys>[1]) => {
      const { ui } = pressKeys(card, keys);
      return ui.type === "form" ? [ui.step, ui.fill.at] : [];
    };
    expect(stateAfter([key("down"), key("down"), key("down")])).toEqual(["fill", 2]);
    expect(stateAfter([key("tab"), key("enter"), key("up"), key("tab", { shift: true })])).toEqual(["fill", 0]);
    expect(stateAfter([...fillKeys, key("tab")])).toEqual(["review", 2]);
    expect(stateAfter([...fillKeys, key("tab"), ...typeText("b"), key("up")])).toEqual(["fill", 1]);
  });

  test("is submitted by Enter at its review, but not by the repeated Enter that led there", () => {
    const { ui } = pressKeys(card, [...fillKeys, key("enter")]);
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
    const { ui, acts } = pressKeys(card, [key("tab"), key("tab"), key("enter")]);
    expect(acts).toEqual([]);
    const error = "This field is required.";
    expect(ui).toMatchObject({ step: "fill", fill: { at: 0, entries: [{ error }, { error: undefined }, { error }] } });
    expect(pressKeys(card, typeText("x"), ui).ui).toMatchObject({
      fill: { entries: [{ error: undefined }, {}, { error }] },
    });
  });

  test("is declined with d at the review, or with Ctrl+D, with a reason or without", () => {
    const declined = [{ do: "answer", answer: { action: "deny", reason: "no" } }];
    expect(pressKeys(card, [...fillKeys, key("enter"), ...typeText("dno"), key("enter")]).acts).toEqual(declined);
    expect(pressKeys(card, [ctrl("d"), ...typeText("no"), key("enter")]).acts).toEqual(declined);
    expect(pressKeys(card, [ctrl("d"), key("enter")]).acts).toEqual([{ do: "answer", answer: { action: "deny" } }]);
    expect(pressKeys(card, [ctrl("d"), key("escape")])).toMatchObject({ ui: { step: "fill", sent: false }, acts: [] });
  });

  test("is canceled by Escape, which asks first if something was filled in", () => {
    const cancelled = [{ do: "answer", answer: { action: "cancel" } }];
    expect(pressKeys(card, [key("escape")]).acts).toEqual(cancelled);
    expect(pressKeys(card, [...typeText("s"), key("escape")])).toMatchObject({ ui: { step: "leave" }, acts: [] });
    expect(pressKeys(card, [...typeText("s"), key("escape"), key("escape")]).acts).toEqual(cancelled);
    const { ui } = pressKeys(card, [...typeText("s"), key("escape"), ...typeText("t")]);
    expect(ui).toMatchObject({ step: "fill", fill: { entries: [{ typing: { text: "st" } }, {}, {}] } });
  });

  test("that is asked again has its values, and the error at the named field", () => {
    const retried = createFormCard(fields, {
      error: "“Size” must be one of them.",
      initial_values: { summary: "s", size: "mid" },
    });
    expect(pressKeys(retried, []).ui).toMatchObject({
      fill: { at: 2, entries: [{ typing: { text: "s" } }, {}, { value: "mid", error: "“Size” must be one of them." }] },
    });
  });

  test("that the backend refuses keeps its values", () => {
    const { ui } = pressKeys(card, [...fillKeys, key("enter"), key("enter")]);
    expect(rejectAnswer(ui, "Summary: It is too short.")).toMatchObject({
      step: "fill",
      sent: false,
      fill: { at: 0, entries: [{ typing: { text: "s" }, error: "Summary: It is too short." }, {}, { value: "mid" }] },
    });
    expect(rejectAnswer(ui, "The backend is busy.")).toMatchObject({ step: "review", error: "The backend is busy." });
  });

  test("opens a text in the editor and takes it back", () => {
    const { ui, acts } = pressKeys(card, [key("tab"), ...typeText("t"), ctrl("g")]);
    expect(acts).toEqual([{ do: "edit", text: "t" }]);
    expect(applyEdit(ui, card, "one\ntwo\n")).toMatchObject({
      fill: { entries: [{}, { typing: { text: "one\ntwo" } }, {}] },
    });
    expect(applyEdit(ui, card, null)).toMatchObject({ error: "No editor found. Set EDITOR." });
  });

  test("never asks for a secret, and cannot be submitted without one that it needs", () => {
    const secret = createField("text", { id: "pw", label: "Password" });
    const optional = createFormCard([secret, createField("text")]);
    expect(pressKeys(optional, [...typeText("x"), key("enter"), key("enter")]).acts).toEqual(createSubmit("x"));
    const incomplete = createFormCard([{ ...secret, required: true }, createField("text")]);
    expect(pressKeys(incomplete, [...typeText("x"), key("enter"), key("enter")]).acts).toEqual([]);
    expect(pressKeys(incomplete, [...typeText("d"), key("enter")]).acts).toEqual([
      { do: "answer", answer: { action: "deny" } },
    ]);
    expect(pressKeys(incomplete, [key("escape")]).acts).toEqual([{ do: "answer", answer: { action: "cancel" } }]);
  });

  test("without fields is reviewed and submitted", () => {
    expect(pressKeys(createFormCard([]), [key("enter"), key("enter")]).acts).toEqual(createSubmit(undefined));
  });
});

describe("N62 a value that a field does not accept", () => {
  const fields: InputField[] = [
    createField("text", { id: "title", label: "Title", required: true, limits: { minLength: 3 } }),
    createField("text", { id: "many", label: "How many", limits: { format: "integer", minimum: 1, maximum: 10 } }),
    createField("text", { id: "mail", label: "E-mail", limits: { format: "email" } }),
    createField("text", { id: "day", label: "Day", limits: { format: "date" } }),
  ];
  const listErrors = (ui: CardUi) => (ui.type === "form" ? ui.fill.entries.map(({ error }) => error) : []);

  test("is reported when the field is left, without holding the user there", () => {
    const { ui } = pressKeys(createFormCard(fields), [
      ...typeText("ab"),
      key("tab"),
      ...typeText("zero"),
      key("enter"),
      ...typeText("x"),
    ]);
    expect(listErrors(ui)).toEqual([
      "“Title” must have at least 3 characters.",
      "“How many” must be a number.",
      undefined,
      undefined,
    ]);
    expect(ui).toMatchObject({ step: "fill", fill: { at: 2 } });
  });

  test("keeps the form from its review, with every error at its field, until all are fixed", () => {
    const wrong = [...typeText("ab"), key("tab"), ...typeText("11"), key("tab"), ...typeText("not-mail"), key("tab")];
    const card = createFormCard(fields);
    const { ui, acts } = pressKeys(card, [...wrong, ...typeText("31.12.2026"), key("enter"), key("enter")]);
    expect(acts).toEqual([]);
    expect(listErrors(ui)).toEqual([
      "“Title” must have at least 3 characters.",
      "“How many” must be at most 10.",
      "“E-mail” must be an email address.",
      "“Day” must be a date such as 2026-11-27.",
    ]);
    expect(ui).toMatchObject({ step: "fill" });
  });

  test("is not an empty one", () => {
    expect(
      pressKeys(createFormCard(fields), [...typeText("abc"), key("tab"), key("tab"), key("tab"), key("enter")]).ui,
    ).toMatchObject({
      step: "review",
    });
  });

  test("that the backend refused is shown at each field that its sentences name", () => {
    const card = createFormCard(fields, { error: "“Title” is taken. “Day” is a Sunday." });
    const { ui } = pressKeys(card, []);
    expect(listErrors(ui)).toEqual(["“Title” is taken.", undefined, undefined, "“Day” is a Sunday."]);
  });
});
