import { expect, test } from "vitest";
import { createCard, key, pressKeys, typeText } from "#test/cards";
import { needs } from "#test/parts";
import type { ConfirmCard } from "#ui/cards/update-card";

const card = createCard(needs("slack", "gmail"));

test("an auth card connects, opens, copies, shows a QR code, continues without, or is cancelled", () => {
  const acts = [key("enter"), ...typeText("ocq"), key("enter")];
  expect(pressKeys(card, acts).acts).toEqual(["connect", "open", "copy", "qr", "connect"].map((act) => ({ do: act })));
  expect(pressKeys(card, typeText("ss1y")).acts).toEqual([{ do: "without" }]);
  expect(pressKeys(card, [key("escape"), key("escape")]).acts).toEqual([{ do: "cancel request" }]);
});

test("N59 a number connects one of several services", () => {
  expect(pressKeys(card, typeText("2139")).acts).toEqual([
    { do: "connect", service: "gmail" },
    { do: "connect", service: "slack" },
  ]);
  expect(pressKeys(createCard(needs("slack")), typeText("1")).acts).toEqual([]);
});

const confirmation: ConfirmCard = { kind: "confirmation", id: "tok", message: "Delete KAY-1?" };

test("a confirmation takes y or n, but not Enter", () => {
  const answer = (action: string) => [{ do: "answer", answer: { action } }];
  expect(pressKeys(confirmation, [key("enter"), ...typeText(" 1x")]).acts).toEqual([]);
  expect(pressKeys(confirmation, typeText("yn")).acts).toEqual(answer("approve"));
  expect(pressKeys(confirmation, typeText("ny")).acts).toEqual(answer("deny"));
  expect(pressKeys(confirmation, [key("escape")]).acts).toEqual([]);
  expect(pressKeys(confirmation, [key("escape"), key("escape")]).acts).toEqual(answer("deny"));
});
