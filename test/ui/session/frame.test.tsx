import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { approval, begins, calls, form, needs } from "#test/parts";
import { type Player, play } from "#test/player";
import { DRAFTING } from "#ui/cards/focus";
import type { LiveFrame } from "#ui/session/live-frame";
import { createPainter } from "#ui/views/painter";

/** Returns the drawn rows of a frame. */
function renderRows(frame: LiveFrame): string[] {
  return createPainter({ columns: frame.width, rows: 60 }, true).paint(frame).lines;
}

const TEXT = Array.from({ length: 40 }, (_, n) => `row ${n}`);

/** Everything at once. */
function playEverything(width: number, height: number, ...cards: Parameters<Player["parts"]>): Player {
  const player = play(width, height, { title: "Bugs of the 会議 week", profile: "work", services: ["jira", "gmail"] });
  player.event({ type: "history", entries: ["what is open?"] });
  player.parts(...begins(), calls("slack.send_message", {}));
  for (const text of ["first 会議 next", "second 👩‍👩‍👧‍👦", "third", "fourth"]) {
    player.type(text);
    player.press("<enter>");
  }
  player.type(`a draft 会議を作成 👩‍👩‍👧‍👦 ${"that goes on ".repeat(20)}`);
  player.parts(...cards);
  return player;
}

const SIZES: [number, number][] = [
  [80, 24],
  [40, 12],
  [20, 10],
  [200, 60],
];
const LONG = "会議を作成しますか？ ".repeat(30);
const CARDS: [string, Parameters<Player["parts"]>][] = [
  ["nothing asked", []],
  ["an approval", [approval({ preview: { summary: LONG, access: "write", fields: [{ name: "text", value: LONG }] } })]],
  ["several cards", [approval(), form({ interaction_id: "int_2" })]],
  ["a form", [form()]],
  ["services to connect", [needs("gmail", "notion")]],
];

describe.each(SIZES)("at %i × %i", (width, height) => {
  test.each(CARDS)("with %s, no row is wider than the window and two of its rows stay free", (_, cards) => {
    const player = playEverything(width, height, ...cards);
    const check = () => {
      const frame = player.draw({ text: TEXT, tools: ["⠋ slack.send_message", "⠋ jira.search"] });
      const rows = renderRows(frame);
      expect(rows.length).toBeLessThanOrEqual(height - 2);
      expect(rows.filter((row) => stringWidth(row) > width)).toEqual([]);
      expect(frame.composer.length).toBeGreaterThan(0);
      if (frame.cursor) {
        expect(frame.cursor.row).toBeLessThan(height - 2);
        expect(frame.cursor.column).toBeLessThan(width);
      }
      // The keys of the question are visible.
      if (cards.length > 0) expect(rows.join("\n")).toMatch(/1|←→|enter/);
      const isWriting = player.now().focus.chosen === DRAFTING;
      expect(frame.focused).toBe(cards.length > 0 && !isWriting ? (frame.cards[0] ?? "") : null);
    };
    check();
    player.settle();
    for (const key of ["n", "x", "<escape>", "<down>", "<pagedown>", "<escape>", "<end>"]) {
      player.press(key);
      check();
    }
    player.press("<tab>", "<ctrl-r>", "w");
    expect(renderRows(player.draw()).length).toBeLessThanOrEqual(height - 2);
  });
});

describe("the whole frame", () => {
  test("of a new session", () => {
    const player = play(40, 12, { services: [] });
    expect(renderRows(player.draw())).toEqual(["─".repeat(40), ">", "offline · nothing connected: /connect"]);
  });

  test("while it runs: the text, the tools, the queue, the draft, the status", () => {
    const player = play(40, 12, { connection: "lost" });
    player.parts(...begins());
    player.type("next");
    player.press("<enter>");
    player.type("draft");
    const frame = player.draw({ text: ["I look."], tools: ["⠋ jira.search"] });
    expect(renderRows(frame)).toEqual([
      "I look.",
      "⠋ jira.search",
      "next: next",
      "─".repeat(40),
      "> draft",
      "Connection lost. Reconnecting… Your inp…",
      "○ reconnecting · offline · ● jira",
    ]);
    expect(frame.cursor).toEqual({ row: 4, column: 7 });
  });

  test("with several cards shows the focused one, and its number", () => {
    const player = play(40, 16);
    player.parts(...begins(), approval(), approval({ interaction_id: "int_2" }));
    expect(renderRows(player.draw())[0]).toContain("1 of 2");
    player.settle();
    player.press("<tab>");
    expect(renderRows(player.draw())[0]).toContain("2 of 2");
    player.press("<tab>");
    const frame = player.draw();
    expect([frame.focused, renderRows(frame).join("\n").includes("[tab] answer this")]).toEqual([null, true]);
  });

  test("of an approval in a very small window has the keys that answer it, and the composer", () => {
    const player = play(20, 10);
    player.parts(...begins(), approval());
    const frame = player.draw();
    expect(renderRows(frame)).toEqual([
      "┌ Approve … ─ 4:58 ┐",
      "│ Send a message   │",
      "│ to #general      │",
      "│ as               │",
      "│ ann@example.test │",
      "│  ↓ 1  2  3  e  n │",
      "└──────────────────┘",
      ">",
    ]);
  });

  test("says that a card is open if there is no room for it", () => {
    const player = play(80, 5);
    player.parts(...begins(), approval());
    const frame = player.draw();
    expect([renderRows(frame), frame.cards]).toEqual([[">", "Make the window taller to answer the open request."], []]);
    for (const rows of [3, 2, 1]) {
      const low = play(80, rows);
      low.parts(...begins(), approval());
      expect(renderRows(low.draw())).toEqual(["Make the window taller to answer the open request."]);
      low.press("1");
      expect([renderRows(low.draw()), low.draw().cards]).toEqual([["> 1"], []]);
    }
  });

  test("of a search and of completions", () => {
    const player = play(40, 12);
    const note = "a service";
    player.event({ type: "history", entries: ["会議 of today"] });
    player.press("<ctrl-r>", "会");
    const frame = player.draw();
    expect(renderRows(frame)).toEqual([
      "─".repeat(40),
      "search: 会  会議 of today",
      "enter use it · ctrl+r older · esc cancel",
      "offline · ● jira",
    ]);
    expect(frame.cursor).toEqual({ row: 1, column: 10 });
    player.press("<escape>");
    player.event({ type: "sources", sources: { services: ["gmail", "google"].map((text) => ({ text, note })) } });
    player.press("g", "<tab>");
    expect(renderRows(player.draw())).toEqual([
      "─".repeat(40),
      "> g",
      "❯\u001b[2G gmail  a service",
      "  google  a service",
      "offline · ● jira",
    ]);
  });
});

describe("the status line", () => {
  test("shows who else is here, the profile and the title, as far as there is room", () => {
    const player = play(80, 24, { profile: "work", title: "Bugs\x1b[2K of the week", client: "a" });
    const clients = ["a", "b", "c"].map((id) => ({ client_id: id, name: id }));
    player.parts({ type: "data-presence", data: { clients } } as never);
    expect(player.draw().status).toBe("offline · ● jira · with b, c · profile work · Bugs of the week");
    player.event({ type: "size", columns: 20, rows: 24 });
    expect(player.draw().status).toBe("offline · ● jira");
    player.event({ type: "status", status: { connection: "lost", services: [] } });
    expect(player.draw().status).toBe("○ reconnecting");
  });

  test("counts the connected services if there is no room for their names", () => {
    const player = play(40, 12, { title: "Bugs" });
    player.event({ type: "status", status: { services: ["jira", "confluence", "google-calendar", "slack"] } });
    expect(player.draw().status).toBe("offline · ● 4 connected · Bugs");
    player.event({ type: "status", status: { title: "send the open bugs to #general" } });
    expect(player.draw().status).toBe("offline · ● 4 connected · send the open…");
    player.event({ type: "size", columns: 36, rows: 12 });
    expect(player.draw().status).toBe("offline · ● 4 connected");
  });
});

test("the cursor is in a row of the frame, even an empty one", () => {
  const player = play(20, 10);
  player.type("abc");
  player.press("<shift-enter>");
  const painter = createPainter({ columns: 20, rows: 10 }, false);
  const { lines, cursor } = painter.paint(player.draw());
  expect([lines, cursor]).toEqual([["> abc", ""], { row: 1, column: 2 }]);
});

test("N50 text in an approval has no color, which some backgrounds would hide; only lines have", () => {
  const player = play();
  const value = "A text of a service\nin two lines";
  const field = { name: "text", value, origin: "service" as const, source: "KAY-15" };
  player.parts(...begins(), approval({ preview: { summary: "Send it", access: "write", fields: [field] } }));
  const rows = player.draw().card.map((row) => row.filter(({ text }) => /two lines|text .*KAY-15/.test(text)));
  expect(rows.flat().map(({ style }) => style)).toEqual(["bold", undefined]);
  const colored = player
    .draw()
    .card.flat()
    .filter(({ style }) => style === "yellow");
  expect(colored.map(({ text }) => text.replaceAll(/[─│┌┐└┘ ]/g, ""))).toEqual(colored.map(() => ""));
});

test("N18 the choices of an approval have their words at 40 columns and 12 rows", () => {
  const player = play(40, 12);
  player.parts(...begins(), calls("slack.send_message", {}), approval());
  const rows = player.draw().card.map((row) => row.map(({ text }) => text).join(""));
  for (const words of ["1 once", "2 session", "3 always", "e edit", "n deny"]) expect(rows.join("\n")).toContain(words);
});
