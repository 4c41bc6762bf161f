import { expect, test } from "vitest";
import type { StreamPart } from "#protocol/events";
import { approval, createAnswer, form, needs } from "#test/parts";
import { formatCardLine } from "#ui/text/item";
import { reduceView } from "#ui/view/reduce";
import { type CardItem, EMPTY_VIEW, type View } from "#ui/view/view";

const READER = { client: "kay on desk", timeZone: "UTC" };

function formatLine(parts: StreamPart[], width = 100): string {
  const view = parts.reduce<View>((now, part, index) => reduceView(now, { number: index + 1, part }), EMPTY_VIEW);
  const card = view.items.find((item): item is CardItem => item.kind === "card");
  return card ? formatCardLine(card, width, READER) : "";
}

const answeredAt = { answered_at: "2026-11-27T14:02:31.000Z" };

test.each<[string, StreamPart[], string]>([
  [
    "here",
    [approval(), createAnswer({ action: "approve", approval_scope: "session", client: "kay on desk", ...answeredAt })],
    "✓ slack.send_message approved for this session by you, 14:02",
  ],
  [
    "elsewhere",
    [approval(), createAnswer({ action: "deny", reason: "not now", client: "kay on tty2", ...answeredAt })],
    "✗ slack.send_message denied by kay on tty2 (not now), 14:02",
  ],
  ["by nobody", [approval(), createAnswer({ action: "expire", ...answeredAt })], "✗ slack.send_message expired, 14:02"],
  [
    "as a form",
    [form(), createAnswer({ action: "submit", client: "kay on desk" })],
    "✓ jira.create_issue submitted by you",
  ],
  ["as a form that is declined", [form(), createAnswer({ action: "deny" })], "✗ jira.create_issue declined"],
  ["as a form that is cancelled", [form(), createAnswer({ action: "cancel" })], "✗ jira.create_issue canceled"],
  [
    "with changes",
    [approval(), createAnswer({ action: "approve", edited_args: { text: "x" }, client: "kay on desk" })],
    "✓ slack.send_message approved with changes by you",
  ],
  [
    "by connecting",
    [needs("slack", "gmail"), { type: "data-auth-result", data: { success: true, integrations: ["slack", "gmail"] } }],
    "✓ slack, gmail connected",
  ],
  [
    "by giving up",
    [
      needs("slack"),
      { type: "data-auth-result", data: { success: false, integrations: ["slack"], reason: "expired" } },
    ],
    "✗ slack canceled (expired)",
  ],
  [
    "by declining to connect, whose reason ends the request",
    [
      needs("slack"),
      {
        type: "data-auth-result",
        data: { success: false, integrations: ["slack"], reason: "kay on desk declined to connect slack." },
      },
    ],
    "✗ slack canceled",
  ],
  ["not yet", [approval()], "○ slack.send_message is waiting for an answer"],
])("a card that was answered %s is one line", (_, parts, line) => {
  expect(formatLine(parts)).toBe(line);
});

test("U17 nothing raw appears in the line of an answered card, and it stays in the window", () => {
  const parts = [
    approval({ tool_name: "x\r\x1b[2K safe" }),
    createAnswer({ action: "deny", client: "J\x1b[31mD", reason: "a\x07\nb", answered_at: "\x1b[1m" }),
  ];
  expect(formatLine(parts)).toBe("✗ x  safe denied by JD (a b)");
  expect(formatLine(parts, 12)).toBe("✗ x  safe d…");
});
