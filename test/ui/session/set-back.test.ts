import { expect, test } from "vitest";
import { NOW } from "#test/cards";
import { approval, begins, calls } from "#test/parts";
import { play } from "#test/player";
import { keyNamed } from "#test/shorthand";

const DAY_MS = 24 * 60 * 60_000;
const APPROVED = [{ do: "act", act: { answer: { action: "approve" } } }];

/** A session in which an approval is visible and takes keys. */
function openApproval() {
  const player = play();
  player.parts(...begins(), calls("slack.send_message", {}));
  player.type("hello");
  for (const _ of "hello") player.press("<backspace>");
  player.parts(approval());
  player.settle();
  player.did();
  return player;
}

test("a clock that was set back by a day does not stop a card from taking keys", () => {
  const noticed = openApproval();
  noticed.wait(-DAY_MS);
  noticed.press("1");
  expect(noticed.did()).toMatchObject(APPROVED);
  const unnoticed = openApproval();
  unnoticed.event({ type: "key", key: { ...keyNamed("1"), at: NOW - DAY_MS } });
  unnoticed.event({ type: "tick", at: NOW - DAY_MS + 100 });
  expect(unnoticed.did()).toMatchObject(APPROVED);
});

test("a card that appears as the clock is set back still takes no key at once", () => {
  const player = play();
  player.parts(...begins(), calls("slack.send_message", {}), approval());
  player.wait(-DAY_MS);
  player.draw();
  player.press("1");
  expect([player.did(), player.draft()]).toEqual([[], "1"]);
});

test("hints, and the time in which Ctrl+C exits, end although the clock was set back", () => {
  const player = play();
  player.event({ type: "hint", text: "Saved.", at: player.now().now });
  player.press("<ctrl-c>");
  player.wait(-DAY_MS);
  player.wait(60_000);
  expect(player.now().hint).toBeNull();
  player.press("<ctrl-c>");
  expect(player.did().map((effect) => effect.do)).not.toContain("leave");
});
