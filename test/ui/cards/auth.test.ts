import { expect, test } from "vitest";
import { cardOf, key, pressed, typing } from "#test/cards";
import { needs } from "#test/parts";
import type { ConfirmCard } from "#ui/cards/update-card";

const card = cardOf(needs("slack", "gmail"));

test("an auth card connects, opens, copies, shows a QR code, continues without, or is cancelled", () => {
  const acts = [key("enter"), ...typing("ocq"), key("enter")];
  expect(pressed(card, acts).acts).toEqual(["connect", "open", "copy", "qr", "connect"].map((act) => ({ do: act })));
  expect(pressed(card, typing("ss1y")).acts).toEqual([{ do: "without" }]);
  expect(pressed(card, [key("escape"), key("escape")]).acts).toEqual([{ do: "cancel request" }]);
});

test("N59 a number connects one of several services", () => {
  expect(pressed(card, typing("2139")).acts).toEqual([
    { do: "connect", service: "gmail" },
    { do: "connect", service: "slack" },
  ]);
  expect(pressed(cardOf(needs("slack")), typing("1")).acts).toEqual([]);
});

const confirmation: ConfirmCard = { kind: "confirmation", id: "tok", message: "Delete KAY-1?" };

test("a confirmation takes y or n, but not Enter", () => {
  const answer = (action: string) => [{ do: "answer", answer: { action } }];
  expect(pressed(confirmation, [key("enter"), ...typing(" 1x")]).acts).toEqual([]);
  expect(pressed(confirmation, typing("yn")).acts).toEqual(answer("approve"));
  expect(pressed(confirmation, typing("ny")).acts).toEqual(answer("deny"));
  expect(pressed(confirmation, [key("escape")]).acts).toEqual([]);
  expect(pressed(confirmation, [key("escape"), key("escape")]).acts).toEqual(answer("deny"));
});
