import { describe, expect, test } from "vitest";
import { createCard, ctrl, key, NOW, pasteText, pressKeys, typeText } from "#test/cards";
import { approval } from "#test/parts";
import { applyEdit, rejectAnswer, takesTab, takesText, updateCard } from "#ui/cards/update-card";

const card = createCard(approval());

function listActs(keys: Parameters<typeof pressKeys>[1]) {
  return pressKeys(card, keys).acts;
}

describe("an approval", () => {
  test.each([
    ["1", "once"],
    ["2", "session"],
    ["3", "always"],
  ])("is approved by %s for %s", (number, approval_scope) => {
    expect(listActs(typeText(number))).toEqual([{ do: "answer", answer: { action: "approve", approval_scope } }]);
  });

  test("has the same numbers if fewer scopes are offered", () => {
    const always = createCard(approval({ approval_scopes: [{ scope: "always", words: "always: all" }] }));
    expect(pressKeys(always, typeText("12")).acts).toEqual([]);
    expect(pressKeys(always, typeText("3")).acts).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "always" } },
    ]);
  });

  test("is not approved by Enter, Space, y, a pasted 1, or several characters at once", () => {
    const [firstKey] = typeText("1");
    const several = firstKey ? [{ ...firstKey, text: "1\n" }] : [];
    expect(listActs([key("enter"), key("enter"), ...typeText(" y"), pasteText("1"), ...several, ctrl("1")])).toEqual(
      [],
    );
  });

  test("is denied with a reason typed on one line", () => {
    expect(listActs([...typeText("nnot to #genera"), ...typeText("l"), key("enter")])).toEqual([
      { do: "answer", answer: { action: "deny", reason: "not to #general" } },
    ]);
  });

  test("is denied without a reason", () => {
    expect(listActs([...typeText("n"), key("enter")])).toEqual([{ do: "answer", answer: { action: "deny" } }]);
  });

  test("stays open after Escape in the reason", () => {
    const { ui, acts } = pressKeys(card, [...typeText("n1"), key("escape")]);
    expect(acts).toEqual([]);
    expect(pressKeys(card, typeText("1"), ui).acts).toHaveLength(1);
  });

  test("is denied by the second Escape, unless another key came between", () => {
    expect(listActs([key("escape")])).toEqual([]);
    expect(listActs([key("escape"), ...typeText("x"), key("escape")])).toEqual([]);
    expect(listActs([key("escape"), key("escape")])).toEqual([{ do: "answer", answer: { action: "deny" } }]);
  });

  test("is answered only once, unless the answer is refused", () => {
    const { ui, acts } = pressKeys(card, typeText("1113"));
    expect(acts).toHaveLength(1);
    const retried = rejectAnswer(ui, "The channel does not exist.");
    expect(pressKeys(card, typeText("n"), retried).ui).toMatchObject({ step: "why" });
  });
});

describe("an edit of an approval", () => {
  test("changes its fields in the card, and an approval sends all of them", () => {
    const { ui, acts } = pressKeys(card, [
      ...typeText("e"),
      ...Array.from({ length: 8 }, () => key("backspace")),
      ...typeText("#random"),
      key("enter"),
      key("enter"),
      ...typeText("1"),
    ]);
    const edited_args = { channel: "#random", text: "3 open bugs" };
    expect(acts).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
    expect(ui).toMatchObject({ step: "ask", sent: true });
  });

  test("without a change is not an edit", () => {
    expect(listActs([...typeText("e"), key("enter"), key("enter"), ...typeText("1")])).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "once" } },
    ]);
  });

  test("is left by Escape, without keeping anything", () => {
    expect(listActs([...typeText("exyz"), key("escape"), ...typeText("1")])).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "once" } },
    ]);
  });

  test("keeps numbers as numbers and booleans as booleans", () => {
    const fields = [
      { name: "priority", value: 2 },
      { name: "notify", value: false },
    ];
    const many = createCard(approval({ preview: { summary: "s", fields } }));
    const wrong = pressKeys(many, [...typeText("e"), ...typeText("x"), key("enter"), key("enter")]);
    expect(wrong.ui).toMatchObject({
      step: "edit",
      fill: { at: 0, entries: [{ error: "It must be a JSON number." }, {}] },
    });
    const { acts } = pressKeys(
      many,
      [key("backspace"), key("down"), ...typeText(" "), key("enter"), ...typeText("1")],
      wrong.ui,
    );
    const edited_args = { priority: 2, notify: true };
    expect(acts).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
  });

  const nested = createCard(approval({ preview: { summary: "s", fields: [{ name: "to", value: ["a"] }] } }));

  test("of a complex value happens in an editor, as JSON", () => {
    const { ui, acts } = pressKeys(nested, typeText("e"));
    expect(acts).toEqual([{ do: "edit", text: '{\n  "to": [\n    "a"\n  ]\n}\n' }]);
    const answer = pressKeys(nested, typeText("1"), applyEdit(ui, nested, '{"to":["b"]}')).acts;
    const edited_args = { to: ["b"] };
    expect(answer).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
  });

  test("that is invalid is reported, and opens as it was left", () => {
    const ui = applyEdit(pressKeys(nested, typeText("e")).ui, nested, '{"to":');
    expect(ui).toMatchObject({ error: "Not a valid JSON object." });
    expect(pressKeys(nested, typeText("e"), ui).acts).toEqual([{ do: "edit", text: '{"to":' }]);
  });

  test("without an editor says what to set", () => {
    expect(applyEdit(pressKeys(nested, typeText("e")).ui, nested, null)).toMatchObject({
      error: "No editor found. Set EDITOR and press e again.",
    });
  });

  test("is not offered if nothing may be edited", () => {
    const fixed = createCard(approval({ editable: false }));
    expect(pressKeys(fixed, typeText("e"))).toMatchObject({ ui: { step: "ask" }, acts: [] });
  });

  test("opens one field in the editor with Ctrl+G", () => {
    const { ui, acts } = pressKeys(card, [...typeText("e"), ctrl("g")]);
    expect(acts).toEqual([{ do: "edit", text: "#general" }]);
    const next = pressKeys(card, [key("enter"), key("enter"), ...typeText("1")], applyEdit(ui, card, "#news\n"));
    expect(next.acts).toMatchObject([{ answer: { edited_args: { channel: "#news", text: "3 open bugs" } } }]);
  });
});

test("an approval takes text and Tab only while something is being typed in it", () => {
  const checkTabAndText = (keys: string) => {
    const { ui } = pressKeys(card, typeText(keys));
    return [takesTab(ui), takesText(ui)];
  };
  expect([checkTabAndText(""), checkTabAndText("n"), checkTabAndText("e"), checkTabAndText("1")]).toEqual([
    [false, false],
    [false, true],
    [true, true],
    [false, false],
  ]);
});

test("an approval scrolls as far as there are lines, and back at once", () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const long = createCard(approval({ preview: { summary: "s", fields: [{ name: "text", value: text }] } }));
  const room = { width: 60, maxRows: 12 };
  let { ui } = pressKeys(long, []);
  const scroll = (name: "up" | "down" | "end" | "home" | "pagedown") => {
    ({ ui } = updateCard(ui, long, key(name, { at: NOW }), room));
    return ui.scroll;
  };
  expect([scroll("up"), scroll("down"), scroll("pagedown"), scroll("end"), scroll("down"), scroll("up")]).toEqual([
    0, 1, 5, 35, 35, 34,
  ]);
  expect(scroll("home")).toBe(0);
});
