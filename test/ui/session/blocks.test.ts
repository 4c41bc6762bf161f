import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { answered, approval, begins, brings, calls, ends, says } from "#test/parts";
import { advance, createBlocks, forget } from "#ui/session/blocks";
import { transcript } from "#ui/transcript";
import { EMPTY, reduce, reduceAll, type TimedPart, type View } from "#ui/view";

const LOOK = { width: 40, links: false, paint: (_: string, text: string) => text };

/** A session to which these parts come, `size` at a time; each step is what was committed, and what is live. */
function session(parts: StreamPart[], { size = 1, forgets = false, look = LOOK } = {}) {
  let [view, blocks]: [View, ReturnType<typeof createBlocks>] = [EMPTY, createBlocks()];
  const numbered = parts.map((part, index): TimedPart => ({ number: index + 1, part }));
  const steps = [];
  for (let at = 0; at < numbered.length; at += size) {
    view = reduceAll(view, numbered.slice(at, at + size));
    const { blocks: next, commit, live } = advance(blocks, view, look);
    blocks = next;
    if (forgets) view = forget(view, blocks);
    steps.push({ commit, live });
  }
  return { view, blocks, steps, committed: steps.map(({ commit }) => commit).join("") };
}

function whole(parts: StreamPart[], look = LOOK): string {
  const view = parts.map((part, index) => ({ number: index + 1, part })).reduce(reduce, EMPTY);
  return `${transcript(view, look)}\n`;
}

const SAID: StreamPart = { type: "data-user-message", data: { text: "what is open?", source: "typed" } };
const RECEIPT: StreamPart = {
  type: "data-receipt",
  data: { tool_call_id: "c1", tool: "slack.send_message", effect: "settled", summary: "Send a message to #general" },
};

test("a conversation is committed thing by thing, each once it is final", () => {
  const { steps, committed } = session([
    SAID,
    ...begins(),
    calls("slack.send_message", { channel: "#general" }),
    approval(),
    answered({ action: "approve", approval_scope: "session", client: "kay on desk" }),
    brings({ ok: true }),
    RECEIPT,
    ...says("It is ", "sent.\n\nAnd ", "more"),
    ...ends(),
  ]);
  expect(committed).toBe(`> what is open?

⏺ slack.send_message  channel = #general
✓ slack.send_message approved for this
session by kay on desk
✓ Send a message to #general

It is sent.

And more
`);
  expect(steps.map(({ live }) => [...live.text, ...live.tools, live.waiting ?? ""].join("|"))).toEqual([
    "",
    "",
    "Thinking…",
    "|◌ slack.send_message  channel = #gen…  …|",
    "|◌ slack.send_message  waits for an answ…|",
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
  const { steps, committed } = session([...begins(), ...says(...rows.flatMap((row) => [row, "\n"])), ...ends()]);
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
    const at = [...cuts, text.length].sort((a, b) => a - b);
    return at.map((end, index) => text.slice(at[index - 1] ?? 0, end));
  });
});

test("however a text is cut into pieces, the session commits what is shown of the whole", () => {
  fc.assert(
    fc.property(cut, fc.boolean(), (pieces, forgets) => {
      const parts = [SAID, ...begins(), ...says(...pieces), ...ends()];
      const { committed, blocks } = session(parts, { forgets });
      expect(committed).toBe(whole(parts));
      expect(blocks.next).toBe(2);
    }),
    { numRuns: 500 },
  );
});
