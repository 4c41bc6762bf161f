import { describe, expect, test } from "vitest";
import { approval, begins, calls, createAnswer, form, needs } from "#test/parts";
import { beginsAs, goes, play } from "#test/player";
import type { AnyCard } from "#ui/cards/update-card";
import { findFocusedCard, listCards } from "#ui/session/open-cards";
import { formatEndedTool, formatToolRow } from "#ui/text/tool-row";

/** A session in which these parts arrived during a turn and were visible. */
function withCards(...parts: Parameters<ReturnType<typeof play>["parts"]>) {
  const player = play();
  player.parts(...begins(), calls("slack.send_message", {}));
  player.parts(...parts);
  player.settle();
  player.did();
  return player;
}

const question: AnyCard = { kind: "confirmation", id: "question:1", message: "Disconnect jira?" };

test("G01 keys typed for the next message, including that of an approval, answer nothing and stay in the draft", () => {
  const { type, press, parts, draw, did, draft } = play();
  parts(...begins(), calls("slack.send_message", {}));
  type("y");
  parts(approval());
  draw();
  type("es 1");
  draw();
  press("<enter>");
  expect([draft(), did()]).toEqual(["yes 1", []]);
});

test("G01 keys of a search or a completion count as keys: the next one answers no card", () => {
  const { type, press, parts, event, draw, wait, did, draft } = play();
  event({ type: "history", entries: ["close KAY-1"] });
  press("<ctrl-r>");
  parts(...begins(), calls("slack.send_message", {}), approval());
  draw();
  wait(400);
  type("clos");
  press("<escape>", "1");
  expect([draft(), did()]).toEqual(["1", []]);
});

test("G01 a text that arrived in one read is not a series of commands: it is the next message, with the Enter at its end", () => {
  const player = withCards(approval());
  player.read("1 and close KAY-3");
  expect([player.draft(), player.did()]).toEqual(["1 and close KAY-3", []]);
  player.wait(1_000);
  player.read(", please\r");
  expect([player.draft(), player.did(), player.now().queue]).toEqual(["", [], ["1 and close KAY-3, please"]]);
});

test("G01 a text that arrives a character at a time is the next message, whatever its letters would do alone", () => {
  const approving = withCards(approval());
  approving.type("1 and close KAY-3, please");
  expect([approving.draft(), approving.did()]).toEqual(["1 and close KAY-3, please", []]);
  const connecting = withCards(needs("slack"));
  connecting.type("so close KAY-3");
  expect([connecting.draft(), connecting.did()]).toEqual(["so close KAY-3", []]);
  connecting.press("<enter>");
  expect([connecting.did(), connecting.now().queue]).toEqual([[], ["so close KAY-3"]]);
});

test("a letter without a meaning to a card begins the next message, and the card has the focus again when that is sent or discarded", () => {
  const player = withCards(needs("slack"));
  for (const letter of "hello") {
    player.wait(400);
    player.type(letter);
  }
  expect([player.draft(), findFocusedCard(player.now()), player.did()]).toEqual(["hello", undefined, []]);
  player.press("<enter>");
  expect([player.now().queue, findFocusedCard(player.now())?.id]).toEqual([["hello"], "gen_1"]);
  player.settle();
  player.type("x");
  player.press("<backspace>");
  expect([player.draft(), findFocusedCard(player.now())?.id]).toEqual(["", "gen_1"]);
  player.settle();
  player.press("s");
  expect(player.did()).toMatchObject([{ act: { do: "without" } }]);
});

test("Escape returns from a message that was begun while a card had the focus, and ends nothing", () => {
  const player = withCards(approval());
  player.type("hello");
  player.press("<escape>", "<escape>");
  expect([player.draft(), findFocusedCard(player.now())?.id, player.did()]).toEqual(["hello", "int_1", []]);
});

test("a paste is not a series of commands either, and is not lost", () => {
  const player = withCards(approval());
  player.press("<paste>1");
  expect([player.draft(), player.did()]).toEqual(["1", []]);
});

test("a held letter is one letter", () => {
  const player = withCards(approval());
  player.press("1", "1", "1");
  expect([player.did(), player.draft()]).toMatchObject([[{ act: { answer: { action: "approve" } } }], ""]);
});

test("a letter acts before the next non-text key, and not on a card that replaced it", () => {
  const player = withCards(approval(), approval({ interaction_id: "int_2" }));
  player.press("1", "<down>");
  expect(player.all()).toMatchObject([{ do: "wait" }, { do: "act", card: { id: "int_1" } }]);
  const other = withCards(approval(), approval({ interaction_id: "int_2" }));
  other.press("1");
  other.parts(createAnswer({ action: "deny", client: "kay on desk" }));
  other.draw();
  expect(other.did()).toEqual([]);
});

test("G01 a reason for a denial may arrive in one read", () => {
  const player = withCards(approval());
  player.press("n");
  player.read("not in this channel\r");
  expect(player.did()).toMatchObject([
    { do: "act", act: { answer: { action: "deny", reason: "not in this channel" } } },
  ]);
});

describe("a card", () => {
  test("is answered once by a key pressed after it could be read", () => {
    const { press, did, parts, ...player } = withCards(approval());
    press("1", "1", "<enter>");
    expect(did()).toMatchObject([
      {
        do: "act",
        card: { id: "int_1" },
        act: { do: "answer", answer: { action: "approve", approval_scope: "once" } },
      },
    ]);
    parts(createAnswer({ action: "approve", approval_scope: "once" }));
    expect([listCards(player.now()), player.now().cards]).toEqual([[], {}]);
  });

  test("whose answer was refused says why, and can be answered again", () => {
    const { press, event, did, ...player } = withCards(approval());
    press("1");
    expect(did()).toHaveLength(1);
    event({ type: "refused", card: "int_1", error: "The backend is busy." });
    expect(player.now().cards.int_1).toMatchObject({ error: "The backend is busy.", sent: false });
    press("n", "x", "<enter>");
    expect(did()).toMatchObject([{ do: "act", act: { answer: { action: "deny", reason: "x" } } }]);
  });

  test("that asks again under the same name is open again, and takes keys only after it could be read", () => {
    const { press, parts, did, draw, settle, ...player } = withCards(approval());
    press("1");
    expect(did()).toHaveLength(1);
    parts(approval({ error: "Not to #general." }));
    draw();
    press("1", "<backspace>");
    expect([did(), player.now().cards.int_1?.sent]).toEqual([[], false]);
    settle();
    press("1");
    expect(did()).toMatchObject([{ do: "act", act: { answer: { action: "approve" } } }]);
  });

  test("that was answered elsewhere gives way to the next, which starts fresh", () => {
    const { press, parts, did, draw, settle, ...player } = withCards(approval(), approval({ interaction_id: "int_2" }));
    expect(findFocusedCard(player.now())?.id).toBe("int_1");
    parts(createAnswer({ action: "deny", client: "kay on desk" }));
    draw();
    press("1", "<backspace>");
    expect([findFocusedCard(player.now())?.id, did()]).toEqual(["int_2", []]);
    settle();
    press("1");
    expect(did()).toMatchObject([{ do: "act", card: { id: "int_2" } }]);
  });

  test("that was answered elsewhere while it was edited here says that the edit was not sent", () => {
    const { press, parts, ...player } = withCards(approval());
    press("e", "<tab>", "!");
    parts(createAnswer({ action: "approve", client: "kay on desk" }));
    expect(player.now().hint?.text).toBe("The request has closed. Your changes were not sent.");
    const looking = withCards(approval());
    looking.press("e", "<tab>");
    looking.parts(createAnswer({ action: "approve", client: "kay on desk" }));
    expect(looking.now().hint).toBeNull();
  });

  test("N53 asks for more time if typed in shortly before its deadline, and shows the new deadline", () => {
    const { now, ...player } = withCards(form());
    const oldView = now().view;
    player.press("<tab>", "x");
    expect(player.did()).toEqual([]);
    player.wait(160_000);
    player.type("I write slowly");
    expect(player.did()).toEqual([{ do: "extend", card: "int_1" }]);
    const expires_at = new Date(now().now + 300_000).toISOString();
    player.parts({ type: "data-interaction-extended", data: { interaction_id: "int_1", expires_at } });
    player.type(" and on");
    expect(player.did()).toEqual([]);
    expect(player.draft()).toBe("");
    const rows = player.draw().card.map((row) => row.map(({ text }) => text).join(""));
    expect(rows.join("\n")).toMatch(/ 5:00 left [\s\S]*I write slowly and on/);
    expect(oldView.items).not.toEqual(now().view.items);
  });

  test("N44 that expires is called expired, not denied, and says how to be asked again", () => {
    const player = withCards(approval());
    player.parts(createAnswer({ action: "expire" }), { type: "tool-output-denied", toolCallId: "c1" });
    expect(player.now().hint?.text).toBe("The request expired without an answer. Press ↑ and Enter to ask again.");
    const tool = player.now().view.items.find((item) => item.kind === "tool");
    expect(tool).toMatchObject({ state: "expired" });
    expect(tool?.kind === "tool" && formatToolRow(tool, 80)).toMatch(/^✗ slack\.send_message .*expired$/);
  });

  test("N48 the error of a failed call is shown whole at 80 columns", () => {
    const player = withCards(approval());
    const errorText = `The input of slack.send_message is not accepted: ${"a long reason, ".repeat(8)}“body” is missing.`;
    player.parts(createAnswer({ action: "approve" }), { type: "tool-output-error", toolCallId: "c1", errorText });
    const tool = player.now().view.items.find((item) => item.kind === "tool");
    const rows = tool?.kind === "tool" ? formatEndedTool(tool, 80).split("\n") : [];
    expect(rows[0]).toMatch(/^✗ slack\.send_message/);
    expect(rows.slice(1).join(" ").replace(/\s+/g, " ").trim()).toBe(errorText);
    expect(rows.every((row) => row.length <= 80)).toBe(true);
  });

  test("N63 that ends while being typed in ignores the following keys, and prints the typed text", () => {
    const { press, parts, type, draft, did, wait } = withCards(form());
    press("<tab>");
    type("2026-1");
    parts(createAnswer({ action: "expire" }), goes("completed"));
    expect(did()).toEqual([
      { do: "say", text: "The request has closed. What you typed was not sent:\n  Summary: 2026-1\n  Urgent: no" },
    ]);
    type("-1");
    press("<enter>");
    expect([draft(), did()]).toEqual(["", []]);
    wait(1_000);
    type("next");
    expect(draft()).toBe("next");
    press("<enter>");
    expect(did()).toEqual([{ do: "send", text: "next" }]);
  });

  test("N63 keys after a card that was not used, or was answered here, are the next message", () => {
    const unused = withCards(approval());
    unused.parts(createAnswer({ action: "expire" }), goes("completed"));
    unused.type("next");
    expect(unused.draft()).toBe("next");
    const player = withCards(approval());
    player.press("1");
    player.did();
    player.parts(createAnswer({ action: "approve" }), goes("completed"));
    player.type("next");
    expect(player.draft()).toBe("next");
  });

  test("N63 Ctrl+C counts even while keys are ignored", () => {
    const { press, parts, type, did } = withCards(form());
    type("x");
    parts(createAnswer({ action: "expire" }), goes("completed"));
    did();
    press("<ctrl-c>", "<ctrl-c>");
    expect(did()).toEqual([{ do: "leave" }]);
  });

  test("notifies the user if the window has no focus", () => {
    const player = play();
    player.press("<blur>");
    player.parts(...begins(), calls("slack.send_message", {}), approval());
    player.press("<focus>");
    player.parts(approval({ interaction_id: "int_2" }));
    const opened = player.all().flatMap((effect) => (effect.do === "opened" ? [[effect.card.id, effect.unseen]] : []));
    expect(opened).toEqual([
      ["int_1", true],
      ["int_2", false],
    ]);
  });

  test("leaves the composer to the user: Tab goes there, and Enter sends", () => {
    const { type, press, did, parts } = withCards(approval());
    press("<tab>");
    type("something else");
    press("<ctrl-enter>");
    expect(did()).toEqual([{ do: "send", text: "something else" }]);
    parts(goes("cancelled"));
    parts(...beginsAs("gen_2"));
    type("x");
    press("<enter>");
    expect(did()).toEqual([]);
  });

  test("that is open closes with its generation", () => {
    const { parts, ...player } = withCards(approval());
    parts(createAnswer({ action: "cancel" }), goes("cancelled"));
    expect(listCards(player.now())).toEqual([]);
  });
});

describe("a form", () => {
  test("is filled in, reviewed and submitted; typed text does not go to the draft", () => {
    const { type, press, wait, did, draft } = withCards(form());
    press("1", "<tab>");
    type("Login loops");
    press("<enter>", " ", "<enter>");
    expect(did()).toEqual([]);
    wait(400);
    press("<enter>");
    expect([draft(), did()]).toMatchObject([
      "",
      [{ act: { answer: { action: "submit", input: { project: "KAY", summary: "Login loops", urgent: true } } } }],
    ]);
  });

  test("is declined with Ctrl+D, which leaves the session only elsewhere", () => {
    const { press, did } = withCards(form());
    press("<ctrl-d>");
    press("<enter>");
    expect(did()).toMatchObject([{ do: "act", act: { answer: { action: "deny" } } }]);
    const elsewhere = withCards(approval());
    elsewhere.press("<ctrl-d>");
    expect(elsewhere.did()).toEqual([{ do: "leave" }]);
  });

  test("that could not be read yet ignores Ctrl+D, and the session stays", () => {
    const { press, parts, did } = play();
    parts(...begins(), calls("jira.create_issue", {}), form());
    press("<ctrl-d>");
    expect(did()).toEqual([]);
  });

  test("gets the text of a field back from the editor", () => {
    const { press, event, did, ...player } = withCards(form());
    press("<tab>", "a", "<ctrl-g>");
    expect(did()).toMatchObject([{ do: "act", act: { do: "edit", text: "a" } }]);
    event({ type: "edited", of: "int_1", text: "b c" });
    event({ type: "edited", of: "int_gone", text: "nothing" });
    const ui = player.now().cards.int_1;
    expect(ui?.type === "form" && ui.fill.entries[1]?.typing?.text).toBe("b c");
  });
});

describe("services to connect", () => {
  test("are skipped, or the request is cancelled", () => {
    const without = withCards(needs("slack", "gmail"));
    without.press("o");
    expect(without.did()).toMatchObject([{ act: { do: "open" } }]);
    without.press("s", "s");
    expect(without.did()).toMatchObject([{ act: { do: "without" } }]);
    const cancelled = withCards(needs("slack"));
    cancelled.press("<escape>", "<escape>");
    expect(cancelled.did()).toMatchObject([{ act: { do: "cancel request" } }]);
  });

  test("have their own links, which are dropped with the card", () => {
    const { event, parts, ...player } = withCards(needs("slack"));
    event({ type: "links", card: "gen_1", links: { slack: { state: "opening", host: "slack.test" } } });
    event({ type: "links", card: "gone", links: {} });
    expect(Object.keys(player.now().links)).toEqual(["gen_1"]);
    parts({ type: "data-auth-result", data: { generation_id: "gen_1", success: true, integrations: ["slack"] } });
    expect(player.now().links).toEqual({});
  });
});

describe("a local card", () => {
  test("comes before those of the conversation, which continue when it is gone", () => {
    const { event, press, settle, did, ...player } = withCards(approval());
    event({ type: "local", card: question });
    expect(listCards(player.now()).map(({ id }) => id)).toEqual(["question:1", "int_1"]);
    settle();
    press("y");
    expect(did()).toMatchObject([{ do: "act", card: question, act: { answer: { action: "approve" } } }]);
    event({ type: "local-ended", id: "question:1" });
    event({ type: "local-ended", id: "question:1" });
    expect(listCards(player.now()).map(({ id }) => id)).toEqual(["int_1"]);
  });

  test("is open even without running work; Escape twice denies it", () => {
    const { event, press, settle, did } = play();
    event({ type: "local", card: question });
    settle();
    press("<escape>");
    expect(did()).toEqual([]);
    press("<escape>");
    expect(did()).toMatchObject([{ do: "act", act: { answer: { action: "deny" } } }]);
  });
});

test("scrolling goes exactly as far as there is content, in every window", () => {
  for (const [width, height] of [
    [80, 24],
    [40, 12],
    [20, 10],
  ] as const) {
    const { press, settle, draw, parts, ...player } = play(width, height);
    const text = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");
    parts(...begins(), approval({ preview: { summary: "Send it", fields: [{ name: "text", value: text }] } }));
    settle();
    press("<end>");
    const end = JSON.stringify(draw().card);
    press("<down>", "<pagedown>");
    expect(JSON.stringify(draw().card)).toBe(end);
    press("<up>");
    expect(JSON.stringify(draw().card)).not.toBe(end);
    expect(player.now().focus.open?.id).toBe("int_1");
  }
});
