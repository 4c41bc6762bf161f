import { describe, expect, test } from "vitest";
import { approval, begins, brings, calls, ends } from "#test/parts";
import { beginsAs, goes, play } from "#test/player";

describe("Ctrl+C", () => {
  test("N64 clears a text that Ctrl+_ brings back", () => {
    const { type, press, draft } = play();
    type("a long thought");
    press("<ctrl-c>");
    expect(draft()).toBe("");
    press("<ctrl-_>");
    expect(draft()).toBe("a long thought");
  });

  test("closes the list, clears the line, cancels the turn, arms, and leaves, in this order", () => {
    const { type, press, parts, did, draft, ...player } = play();
    const note = "";
    player.event({ type: "sources", sources: { services: ["gmail", "google"].map((text) => ({ text, note })) } });
    parts(...begins());
    type("g");
    press("<tab>", "<ctrl-c>");
    expect([player.now().offer, draft(), did()]).toEqual([null, "g", []]);
    press("<ctrl-r>", "<ctrl-c>");
    expect([player.now().search, draft(), did()]).toEqual([null, "g", []]);
    press("<ctrl-c>");
    expect([draft(), did()]).toEqual(["", []]);
    press("<ctrl-c>");
    expect(did()).toEqual([{ do: "cancel", generation: "gen_1" }]);
    press("<ctrl-c>");
    expect([player.now().hint?.text, did()]).toEqual(["Press Ctrl+C again to exit.", []]);
    press("<ctrl-c>");
    expect(did()).toEqual([{ do: "leave" }]);
  });

  test("clears a command or a mention together with the list that typing it opened", () => {
    const { type, press, draft, ...player } = play();
    player.event({ type: "sources", sources: { commands: [{ name: "connect", note: "" }] } });
    type("/co");
    expect(player.now().offer?.completion.candidates).toHaveLength(1);
    press("<ctrl-c>");
    expect([player.now().offer, draft()]).toEqual([null, ""]);
  });

  test("leaves only within two seconds after it was armed", () => {
    const { press, wait, did } = play();
    press("<ctrl-c>");
    wait(2_000);
    press("<ctrl-c>");
    expect(did()).toEqual([]);
    press("<ctrl-c>");
    expect(did()).toEqual([{ do: "leave" }]);
  });

  test("returns the queue to the draft when it cancels", () => {
    const { type, press, parts, did, draft } = play();
    parts(...begins());
    type("next");
    press("<enter>", "<ctrl-c>");
    expect([did(), draft()]).toEqual([[{ do: "cancel", generation: "gen_1" }], "next"]);
  });
});

describe("Escape", () => {
  test("U23 ends the turn while a tool runs, once; earlier results stay", () => {
    const { press, parts, did, ...player } = play();
    parts(...begins(), calls("jira.search", {}), brings({ issues: [] }), calls("jira.search", {}, "c2"));
    press("<escape>", "<escape>");
    expect(did()).toEqual([{ do: "cancel", generation: "gen_1" }]);
    parts(goes("cancelled"), { type: "abort" });
    const tools = player
      .now()
      .view.items.filter((item) => item.kind === "tool")
      .map(({ state }) => state);
    expect([tools, player.now().cancelling]).toEqual([["done", "failed"], false]);
  });

  test("ends nothing if nothing is running, nor while a new card does not take keys yet", () => {
    const { press, parts, did, draw, wait } = play();
    press("<escape>");
    parts(...begins(), calls("slack.send_message", {}), approval());
    press("<escape>");
    draw();
    wait(200);
    press("<escape>");
    expect(did()).toEqual([]);
  });

  test("right after Enter ends that prompt's turn, as soon as it has an ID, and not the turn before", () => {
    const { type, press, parts, event, did } = play();
    parts(...begins(), ...ends());
    type("go");
    press("<enter>", "<escape>");
    event({ type: "sent" });
    expect(did()).toEqual([{ do: "send", text: "go" }]);
    parts(...beginsAs("gen_2"));
    expect(did()).toEqual([{ do: "cancel", generation: "gen_2" }]);
    parts(goes("cancelled", "gen_2"));
    type("again");
    press("<enter>");
    parts(...beginsAs("gen_3"));
    expect(did()).toEqual([{ do: "send", text: "again" }]);
  });

  test("is not lost with a prompt that was refused", () => {
    const { type, press, event, parts, did, ...player } = play();
    type("go");
    press("<enter>", "<escape>");
    event({ type: "sent", back: "go" });
    expect([player.draft(), player.now().cancelling]).toEqual(["go", false]);
    press("<enter>");
    event({ type: "sent" });
    parts(...begins());
    expect(did().filter((effect) => effect.do === "cancel")).toEqual([]);
  });
});

test("Ctrl+D leaves if the draft is empty, otherwise it deletes", () => {
  const { type, press, did, draft } = play();
  type("ab");
  press("<home>", "<ctrl-d>");
  expect([draft(), did()]).toEqual(["b", []]);
  press("<ctrl-d>", "<ctrl-d>");
  expect([draft(), did()]).toEqual(["", [{ do: "leave" }]]);
});

test("another conversation keeps nothing of the previous one except the draft and the history", () => {
  const { type, press, parts, event, draw, ...player } = play();
  parts(...begins());
  type("queued");
  press("<ctrl-enter>");
  parts(calls("slack.send_message", {}), approval());
  draw();
  type("mine");
  event({ type: "reset" });
  const { view, queue, sending, cards, local } = player.now();
  expect({ items: view.items, last: view.last, queue, sending, cards, local, draft: player.draft() }).toEqual({
    items: [],
    last: 0,
    queue: [],
    sending: null,
    cards: {},
    local: [],
    draft: "mine",
  });
  press("<ctrl-c>", "<up>");
  expect(player.draft()).toBe("queued");
});
