import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { approval, begins, brings, calls, createAnswer, createText, ends } from "#test/parts";
import { advanceScrollback, createScrollbackState, dropCommitted } from "#ui/session/scrollback";
import { formatTranscript } from "#ui/text/transcript";
import { reduceView, reduceViewAll, type TimedPart } from "#ui/view/reduce";
import { EMPTY_VIEW, type View } from "#ui/view/view";

const LOOK = { width: 40, links: false, paint: (_: string, text: string) => text };

/** A session that gets these parts, `size` at a time; each step has the committed and the live text. */
function session(parts: StreamPart[], { size = 1, forgets = false, look = LOOK } = {}) {
  let [view, blocks]: [View, ReturnType<typeof createScrollbackState>] = [EMPTY_VIEW, createScrollbackState()];
  const numbered = parts.map((part, index): TimedPart => ({ number: index + 1, part }));
  const steps = [];
  for (let position = 0; position < numbered.length; position += size) {
    view = reduceViewAll(view, numbered.slice(position, position + size));
    const { blocks: next, commit, live } = advanceScrollback(blocks, view, look);
    blocks = next;
    if (forgets) view = dropCommitted(view, blocks);
    steps.push({ commit, live });
  }
  return { view, blocks, steps, committed: steps.map(({ commit }) => commit).join("") };
}

function whole(parts: StreamPart[], look = LOOK): string {
  const view = parts.map((part, index) => ({ number: index + 1, part })).reduce(reduceView, EMPTY_VIEW);
  return `${formatTranscript(view, look)}\n`;
}

const SAID: StreamPart = { type: "data-user-message", data: { text: "what is open?", source: "typed" } };
const RECEIPT: StreamPart = {
  type: "data-receipt",
  data: { tool_call_id: "c1", tool: "slack.send_message", effect: "settled", summary: "Send a message to #general" },
};

test("a conversation is committed item by item, each once it is final", () => {
  const { steps, committed } = session([
    SAID,
    ...begins(),
    calls("slack.send_message", { channel: "#general" }),
    approval(),
    createAnswer({ action: "approve", approval_scope: "session", client: "kay on desk" }),
    brings({ ok: true }),
    RECEIPT,
    ...createText("It is ", "sent.\n\nAnd ", "more"),
    ...ends(),
  ]);
  expect(committed).toBe(`> what is open?

⏺ slack.send_message  channel = #general
✓ slack.send_message approved for this …
✓ Send a message to #general

It is sent.

And more
`);
  expect(steps.map(({ live }) => [...live.text, ...live.tools, live.waiting ?? ""].join("|"))).toEqual([
    "",
    "Thinking…",
    "Thinking…",
    "|◌ slack.send_message  channel = #gen…  …|",
    "|◌ slack.send_message  waiting for an an…|",
    "|◌ slack.send_message  channel = #gen…  …|",
    "Thinking…",
    "Thinking…",
    "Thinking…",
    "|It is|",
    "|And|",
    "|And more|",
    "Thinking…",
    "",
    "",
  ]);
});

test("U18 300 lines in 600 pieces are each committed once, in order, and little of them is live", () => {
  const rows = Array.from({ length: 300 }, (_, index) => `row-${String(index + 1).padStart(3, "0")}`);
  const { steps, committed } = session([...begins(), ...createText(...rows.flatMap((row) => [row, "\n"])), ...ends()]);
  expect(committed).toBe(`${rows.join("\n")}\n`);
  expect(Math.max(...steps.map(({ live }) => live.text.length))).toBeLessThanOrEqual(8);
  const behind = steps.map(({ live }) => live.text.filter((row) => row !== "").length);
  expect(Math.max(...behind)).toBeLessThanOrEqual(8);
});

const word = fc.stringMatching(/^[a-z]{1,9}$/);
const sentence = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
const lines = fc.array(sentence, { minLength: 1, maxLength: 12 });
const piece = fc.oneof(
  sentence,
  lines.map((all) => all.join("\n")),
  sentence.map((text) => `## ${text}`),
  sentence.map((text) => `**${text}** and \`${text}\` [${text}](https://example.test/a)`),
  lines.map((all) => all.map((item) => `- ${item}\n  - [ ] ${item}`).join("\n")),
  lines.map((all) => all.map((item) => `3. ${item}\n\n   more`).join("\n\n")),
  lines.map((all) => `|a|b|\n|---|---|\n${all.map((item) => `| ${item} | x |`).join("\n")}`),
  lines.map((all) => `\`\`\`ts\n${all.join("\n\n")}\n\`\`\``),
  lines.map((all) => `~~~\n${all.join("\n")}`),
  lines.map((all) => all.map((item) => `> ${item}`).join("\n")),
  lines.map((all) => all.map((item) => `    ${item}`).join("\n")),
  fc.constantFrom(
    "---",
    "<details>",
    "<!-- a",
    "x\n===",
    "\t- tab",
    "* * *",
    "1) a\n1. b\n- c\n* d",
    "|a|\n|-|",
    "[x]: https://example.test",
  ),
  fc.string({
    unit: fc.constantFrom("`", "*", "|", "-", ">", "\n", " ", "a", "#", "1.", "~", "\r", "\u001b[1m", "é", "會"),
  }),
);
const cut = fc.array(piece, { minLength: 1, maxLength: 8 }).chain((blocks) => {
  const text = blocks.join("\n\n");
  return fc.array(fc.nat(text.length), { maxLength: 20 }).map((cuts) => {
    const positions = [...cuts, text.length].sort((a, b) => a - b);
    return positions.map((end, index) => text.slice(positions[index - 1] ?? 0, end));
  });
});

test("for any split of a text, the session commits the same as for the whole", () => {
  fc.assert(
    fc.property(cut, fc.boolean(), (pieces, forgets) => {
      const parts = [SAID, ...begins(), ...createText(...pieces), ...ends()];
      const { committed, blocks } = session(parts, { forgets });
      expect(committed).toBe(whole(parts));
      expect(blocks.next).toBe(2);
    }),
    { numRuns: 500 },
  );
});

const begins2 = begins().map((part) => JSON.parse(JSON.stringify(part).replaceAll("gen_1", "gen_2")) as StreamPart);

test("20,000 pieces arrive once each, in order, even in a replay; memory stays constant", () => {
  const pieces = Array.from({ length: 20_000 }, (_, index) => `t${index}${index % 12 === 11 ? ".\n\n" : " "}`);
  const parts: TimedPart[] = createText(...pieces).map((part, index) => ({ number: index + 1, part }));
  let [view, blocks, committed, expected] = [EMPTY_VIEW, createScrollbackState(), "", 0];
  for (let position = 0; position < parts.length; position += 33) {
    view = reduceViewAll(view, parts.slice(Math.max(0, position - 20), position + 33));
    const step = advanceScrollback(blocks, view, LOOK);
    [blocks, committed] = [step.blocks, committed + step.commit];
    view = dropCommitted(view, blocks);
    expected = Math.max(expected, JSON.stringify([view, blocks]).length);
  }
  expect(
    committed
      .split(/\s+/)
      .filter(Boolean)
      .map((text) => text.replace(".", "")),
  ).toEqual(pieces.map((piece) => piece.replace(/\W/g, "")));
  expect(expected).toBeLessThan(2_000);
});

test("pieces that arrive together are reduced as one, with the same result", () => {
  const parts: TimedPart[] = [SAID, ...begins(), ...createText("a", "b", "c"), calls("t", {}), brings([])].map(
    (part, index) => ({
      number: index + 1,
      part,
    }),
  );
  const whole = parts.reduce(reduceView, EMPTY_VIEW);
  expect(reduceViewAll(EMPTY_VIEW, parts)).toEqual(whole);
  expect(reduceViewAll(reduceViewAll(EMPTY_VIEW, parts.slice(0, 6)), [...parts.slice(2), ...parts.slice(4)])).toEqual(
    whole,
  );
});

test("parallel calls stay live until the earlier ones are done, and later text waits for them", () => {
  const log: StreamPart = { type: "data-tool-log", data: { tool_call_id: "c1", entries: [{ text: "page 2" }] } };
  const { steps } = session([
    ...begins(),
    calls("jira.search", { q: "x" }, "c1"),
    calls("slack.list", {}, "c2"),
    brings({ data: { channels: [1, 2] } }, "c2"),
    log,
    ...createText("Found **so", "me**"),
    brings([1], "c1"),
    ...ends(),
  ]);
  expect(steps.slice(2, 11)).toEqual(
    [
      { live: { text: [], tools: ["◌ jira.search  q = x  …"], waiting: null } },
      { live: { text: [], tools: ["◌ jira.search  q = x  …", "◌ slack.list  …"], waiting: null } },
      { live: { text: [], tools: ["◌ jira.search  q = x  …", "⏺ slack.list  2 channels"], waiting: null } },
      ...[[], [], ["Found **so"], ["Found some"], ["Found some"]].map((text) => ({
        live: { text, tools: ["◌ jira.search  q = x  page 2", "⏺ slack.list  2 channels"], waiting: null },
      })),
      {
        commit: "⏺ jira.search  q = x  1 result\n⏺ slack.list  2 channels\n\nFound some\n",
        live: { text: [], tools: [], waiting: "Thinking…" },
      },
    ].map((step) => ({ commit: "", ...step })),
  );
});

test("a question waits in its place, and does not stay open after its generation", () => {
  const card = approval();
  const open = session([SAID, ...begins(), card]);
  expect([open.committed, open.blocks.next]).toEqual(["> what is open?\n", 1]);
  const finished = session([
    SAID,
    ...begins(),
    card,
    { type: "error", errorText: "No model.", hint: "Run `kay model`." },
  ]);
  expect(finished.committed).toBe(`> what is open?

✗ slack.send_message was not answered
✗ slack.send_message  It did not finish.

✗ No model.
  Run \`kay model\`.
`);
});

test("a link that a receipt shows is not shown again by the answer", () => {
  const url = "https://acme.slack.com/archives/C1/p1";
  const receipt = { ...RECEIPT, data: { ...RECEIPT.data, url } } as StreamPart;
  const parts = [SAID, ...begins(), receipt, ...createText(`Sent.\n\n${url}\n\nAnything else?`), ...ends()];
  expect(session(parts).committed).toBe(whole(parts));
  expect(whole(parts)).toContain(`✓ Send a message to #general\n  ${url}\n\nSent.\n\nAnything else?\n`);
});

test("a receipt shows links in its summary as their text, so its own link is the only one", () => {
  const summary = "Send to #general: “2 bugs: - [KAY-1](https://kay.example/browse/KAY-1) Login [loops](…”";
  const receipt = { ...RECEIPT, data: { ...RECEIPT.data, summary } } as StreamPart;
  const { committed } = session([...begins(), receipt, ...ends()], { look: { ...LOOK, width: 80 } });
  expect(committed).toContain("✓ Send to #general: “2 bugs: - KAY-1 Login [loops](…”\n");
});

test("an unfinished text is complete when its generation has ended, and a receipt without one is in doubt", () => {
  const sentReceipt = { ...RECEIPT, data: { ...RECEIPT.data, effect: "sent" } } as StreamPart;
  const { committed } = session([
    ...begins(),
    sentReceipt,
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "Half" },
    { type: "abort" },
    ...begins2,
    ...createText("New"),
  ]);
  expect(committed).toBe(`? Send a message to #general (outcome
unknown; check before you retry)

Half

✗ canceled

New
`);
});

test("dropped items are no longer shown, and do not affect later ones", () => {
  const parts = [SAID, ...begins(), calls("t", { a: 1 }), brings({ a: "b" }), ...createText("One.\n\nTwo"), ...ends()];
  const { view, committed } = session(parts, { forgets: true });
  expect(committed).toBe(whole(parts));
  expect(view.items).toEqual([
    { kind: "message", text: "", source: "typed", forgotten: true },
    { kind: "tool", call: "c1", name: "t", generation_id: "gen_1", state: "done", log: [], forgotten: true },
    { kind: "text", id: "0", generation_id: "gen_1", text: "", done: true, dropped: 6, forgotten: true },
  ]);
});

test("U17 half a sequence or character is not shown while it arrives", () => {
  const { steps } = session([...begins(), ...createText("a \u001b]0;ti", "tle\u0007b", " \ud83d", "\ude00 c\td")]);
  expect(steps.map(({ live }) => live.text.join("|"))).toEqual([
    "",
    "",
    "",
    "a",
    "a b",
    "a b",
    "a b 😀 c        d",
    "",
  ]);
});
