import { describe, expect, test } from "vitest";
import { cardOf, ctrl, key, NOW, pasting, pressed, typing } from "#test/cards";
import { approval } from "#test/parts";
import { applyEdit, rejectAnswer, takesTab, takesText, updateCard } from "#ui/cards/update-card";

const card = cardOf(approval());

function answersOf(keys: Parameters<typeof pressed>[1]) {
  return pressed(card, keys).acts;
}

describe("an approval", () => {
  test.each([
    ["1", "once"],
    ["2", "session"],
    ["3", "always"],
  ])("is approved by %s for %s", (number, approval_scope) => {
    expect(answersOf(typing(number))).toEqual([{ do: "answer", answer: { action: "approve", approval_scope } }]);
  });

  test("has the same numbers if fewer scopes are offered", () => {
    const always = cardOf(approval({ approval_scopes: [{ scope: "always", words: "always: all" }] }));
    expect(pressed(always, typing("12")).acts).toEqual([]);
    expect(pressed(always, typing("3")).acts).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "always" } },
    ]);
  });

  test("is not approved by Enter, Space, y, a pasted 1, or several characters at once", () => {
    const [firstKey] = typing("1");
    const several = firstKey ? [{ ...firstKey, text: "1\n" }] : [];
    expect(answersOf([key("enter"), key("enter"), ...typing(" y"), pasting("1"), ...several, ctrl("1")])).toEqual([]);
  });

  test("is denied with a reason typed on one line", () => {
    expect(answersOf([...typing("nnot to #genera"), ...typing("l"), key("enter")])).toEqual([
      { do: "answer", answer: { action: "deny", reason: "not to #general" } },
    ]);
  });

  test("is denied without a reason", () => {
    expect(answersOf([...typing("n"), key("enter")])).toEqual([{ do: "answer", answer: { action: "deny" } }]);
  });

  test("stays open after Escape in the reason", () => {
    const { ui, acts } = pressed(card, [...typing("n1"), key("escape")]);
    expect(acts).toEqual([]);
    expect(pressed(card, typing("1"), ui).acts).toHaveLength(1);
  });

  test("is denied by the second Escape, unless another key came between", () => {
    expect(answersOf([key("escape")])).toEqual([]);
    expect(answersOf([key("escape"), ...typing("x"), key("escape")])).toEqual([]);
    expect(answersOf([key("escape"), key("escape")])).toEqual([{ do: "answer", answer: { action: "deny" } }]);
  });

  test("is answered only once, unless the answer is refused", () => {
    const { ui, acts } = pressed(card, typing("1113"));
    expect(acts).toHaveLength(1);
    const retried = rejectAnswer(ui, "The channel does not exist.");
    expect(pressed(card, typing("n"), retried).ui).toMatchObject({ step: "why" });
  });
});

describe("an edit of an approval", () => {
  test("changes its fields in the card, and an approval sends all of them", () => {
    const { ui, acts } = pressed(card, [
      ...typing("e"),
      ...Array.from({ length: 8 }, () => key("backspace")),
      ...typing("#random"),
      key("enter"),
      key("enter"),
      ...typing("1"),
    ]);
    const edited_args = { channel: "#random", text: "3 open bugs" };
    expect(acts).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
    expect(ui).toMatchObject({ step: "ask", sent: true });
  });

  test("without a change is not an edit", () => {
    expect(answersOf([...typing("e"), key("enter"), key("enter"), ...typing("1")])).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "once" } },
    ]);
  });

  test("is left by Escape, without keeping anything", () => {
    expect(answersOf([...typing("exyz"), key("escape"), ...typing("1")])).toEqual([
      { do: "answer", answer: { action: "approve", approval_scope: "once" } },
    ]);
  });

  test("keeps numbers as numbers and booleans as booleans", () => {
    const fields = [
      { name: "priority", value: 2 },
      { name: "notify", value: false },
    ];
    const many = cardOf(approval({ preview: { summary: "s", fields } }));
    const wrong = pressed(many, [...typing("e"), ...typing("x"), key("enter"), key("enter")]);
    expect(wrong.ui).toMatchObject({
      step: "edit",
      fill: { at: 0, entries: [{ error: "It must be a JSON number." }, {}] },
    });
    const { acts } = pressed(
      many,
      [key("backspace"), key("down"), ...typing(" "), key("enter"), ...typing("1")],
      wrong.ui,
    );
    const edited_args = { priority: 2, notify: true };
    expect(acts).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
  });

  const nested = cardOf(approval({ preview: { summary: "s", fields: [{ name: "to", value: ["a"] }] } }));

  test("of a complex value happens in an editor, as JSON", () => {
    const { ui, acts } = pressed(nested, typing("e"));
    expect(acts).toEqual([{ do: "edit", text: '{\n  "to": [\n    "a"\n  ]\n}\n' }]);
    const answer = pressed(nested, typing("1"), applyEdit(ui, nested, '{"to":["b"]}')).acts;
    const edited_args = { to: ["b"] };
    expect(answer).toEqual([{ do: "answer", answer: { action: "approve", approval_scope: "once", edited_args } }]);
  });

  test("that is invalid is reported, and opens as it was left", () => {
    const ui = applyEdit(pressed(nested, typing("e")).ui, nested, '{"to":');
    expect(ui).toMatchObject({ error: "Not a valid JSON object." });
    expect(pressed(nested, typing("e"), ui).acts).toEqual([{ do: "edit", text: '{"to":' }]);
  });

  test("without an editor says what to set", () => {
    expect(applyEdit(pressed(nested, typing("e")).ui, nested, null)).toMatchObject({
      error: "No editor found. Set EDITOR and press e again.",
    });
  });

  test("is not offered if nothing may be edited", () => {
    const fixed = cardOf(approval({ editable: false }));
    expect(pressed(fixed, typing("e"))).toMatchObject({ ui: { step: "ask" }, acts: [] });
  });

  test("opens one field in the editor with Ctrl+G", () => {
    const { ui, acts } = pressed(card, [...typing("e"), ctrl("g")]);
    expect(acts).toEqual([{ do: "edit", text: "#general" }]);
    const next = pressed(card, [key("enter"), key("enter"), ...typing("1")], applyEdit(ui, card, "#news\n"));
    expect(next.acts).toMatchObject([{ answer: { edited_args: { channel: "#news", text: "3 open bugs" } } }]);
  });
});

test("an approval takes text and Tab only while something is being typed in it", () => {
  const taking = (keys: string) => {
    const { ui } = pressed(card, typing(keys));
    return [takesTab(ui), takesText(ui)];
  };
  expect([taking(""), taking("n"), taking("e"), taking("1")]).toEqual([
    [false, false],
    [false, true],
    [true, true],
    [false, false],
  ]);
});

test("an approval scrolls as far as there are lines, and back at once", () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const long = cardOf(approval({ preview: { summary: "s", fields: [{ name: "text", value: text }] } }));
  const room = { width: 60, maxRows: 12 };
  let { ui } = pressed(long, []);
  const scroll = (name: "up" | "down" | "end" | "home" | "pagedown") => {
    ({ ui } = updateCard(ui, long, key(name, { at: NOW }), room));
    return ui.scroll;
  };
  expect([scroll("up"), scroll("down"), scroll("pagedown"), scroll("end"), scroll("down"), scroll("up")]).toEqual([
    0, 1, 5, 35, 35, 34,
  ]);
  expect(scroll("home")).toBe(0);
});
