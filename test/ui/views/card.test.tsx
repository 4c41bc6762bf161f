import { renderToString } from "ink";
import { describe, expect, test } from "vitest";
import type { InputField, InteractionRequest } from "#protocol/interactions";
import { createCard, ctrl, key, NOW, pressKeys, typeText } from "#test/cards";
import { onTerminal } from "#test/cells";
import { approval, form, needs } from "#test/parts";
import { type CardProps, layOutCard } from "#ui/cards/card-layout";
import type { AnyCard } from "#ui/cards/update-card";
import type { Key } from "#ui/keys/key";
import { pinColumns } from "#ui/screen/cells";
import { Card } from "#ui/views/painter";

/** Returns a card after these keys, as drawn by Ink. */
function draw(card: AnyCard, keys: Key[] = [], overrides: Partial<CardProps> = {}): string {
  const props = createProps(card, keys, overrides);
  return renderToString(<Card {...props} />, { columns: props.width });
}

function createProps(card: AnyCard, keys: Key[] = [], overrides: Partial<CardProps> = {}): CardProps {
  const { ui } = pressKeys(card, keys);
  return { card, ui, focused: true, position: { n: 1, of: 1 }, width: 80, maxRows: 20, now: NOW, ...overrides };
}

const plain = approval({
  preview: {
    summary: "Send a message to #general",
    access: "write",
    fields: [
      { name: "channel", value: "#general", origin: "person" },
      { name: "text", value: "3 open bugs", origin: "service", source: "KAY-15" },
    ],
  },
  approval_scopes: [
    { scope: "once", words: "once" },
    { scope: "session", words: "this session" },
    { scope: "always", words: "always, for 90 days: slack.send_message to #general" },
  ],
});

describe("an approval", () => {
  test("shows what would be sent, its origin, and each scope in its exact words", () => {
    expect(draw(createCard(plain))).toBe(
      [
        "┌ Approve ─ slack.send_message ─ writes ──────────────────────────── 4:58 left ┐",
        "│ Send a message to #general                                                   │",
        "│   channel: #general                                                          │",
        "│   text: 3 open bugs (from KAY-15, not from you)                              │",
        "│ 1 once   2 this session                                                      │",
        "│ 3 always, for 90 days: slack.send_message to #general   e edit   n deny      │",
        "└──────────────────────────────────────────────────────────────────────────────┘",
      ].join("\n"),
    );
  });

  test("wraps at 40 columns without losing a word", () => {
    expect(draw(createCard(plain), [], { width: 40 })).toBe(
      [
        "┌ Approve ─ slack.send_me… ─ 4:58 left ┐",
        "│ Send a message to #general           │",
        "│ with slack.send_message (writes)     │",
        "│   channel: #general                  │",
        "│   text: 3 open bugs (from KAY-15,    │",
        "│   not from you)                      │",
        "│ 1 once   2 this session              │",
        "│ 3 always, for 90 days:               │",
        "│   slack.send_message to #general     │",
        "│ e edit   n deny                      │",
        "└──────────────────────────────────────┘",
      ].join("\n"),
    );
  });

  test("without the focus says how to get it, and uses no rows for its keys", () => {
    expect(draw(createCard(plain), [], { focused: false, position: { n: 2, of: 3 }, maxRows: 6 })).toBe(
      [
        "┌ Approve ─ slack.send_message ─ writes ─────────────────── 2 of 3 ─ 4:58 left ┐",
        "│ Send a message to #general                                                   │",
        "│   channel: #general                                                          │",
        "│   text: 3 open bugs (from KAY-15, not from you)                              │",
        "│ [tab] answer this                                                            │",
        "└──────────────────────────────────────────────────────────────────────────────┘",
      ].join("\n"),
    );
  });

  test("shows what a tool already did, as whom it works, and why it asks again", () => {
    const preview = {
      summary: "Look at it",
      access: "destructive" as const,
      account: "ann",
      fields: [],
      result: "12 rows",
    };
    expect(draw(createCard(approval({ preview, error: "It was too late." })), [key("escape")])).toBe(
      [
        "┌ Approve ─ slack.send_message ─ cannot be undone ────────────────── 4:58 left ┐",
        "│ ✗ It was too late.                                                           │",
        "│ Look at it                                                                   │",
        "│ as ann                                                                       │",
        "│ This has already run. Approve to let kay use the result:                     │",
        "│   12 rows                                                                    │",
        "│ 1 once   2 this session: slack.send_message to #general                      │",
        "│ 3 always: slack.send_message to #general   n deny                            │",
        "│ esc again: deny                                                              │",
        "└──────────────────────────────────────────────────────────────────────────────┘",
      ].join("\n"),
    );
  });

  test("shows the edited values, without the origin of the replaced ones", () => {
    const keys = [...typeText("e"), key("tab"), ctrl("u"), ...typeText("none"), key("enter")];
    expect(draw(createCard(plain), keys).split("\n").slice(1, 5)).toEqual([
      "│ Edited request: slack.send_message                                           │",
      "│ - text: 3 open bugs                                                          │",
      "│ + text: none                                                                 │",
      "│   channel: #general                                                          │",
    ]);
  });

  test("asks for the reason of a denial, and says when the answer is being sent", () => {
    const lines = draw(createCard(plain), typeText("nlater")).split("\n");
    expect(lines.slice(4, 7)).toEqual([
      "│ Reason (optional):                                                           │",
      "│ > later                                                                      │",
      "│ enter deny   esc back                                                        │",
    ]);
    expect(layOutCard(createProps(createCard(plain), typeText("nlater"))).cursor).toEqual({ row: 5, column: 9 });
    expect(draw(createCard(plain), typeText("1")).split("\n").at(-2)).toBe(
      "│ Sending your answer…                                                         │",
    );
  });
});

test("a card longer than its room scrolls, and counts the lines above and below", () => {
  const value = Array.from({ length: 12 }, (_, index) => `line ${index}`).join("\n");
  const card = createCard(
    approval({ preview: { summary: "s", fields: [{ name: "text", value }] }, approval_scopes: [] }),
  );
  const lines = (scroll: number) => {
    const props = createProps(card, [], { width: 40, maxRows: 8 });
    return renderToString(<Card {...props} ui={{ ...props.ui, scroll }} />, { columns: 40 })
      .split("\n")
      .slice(1, -2);
  };
  expect(lines(0)).toEqual([
    "│ s                                    │",
    "│ with slack.send_message              │",
    "│   text:                              │",
    "│     line 0                           │",
    "│ ↓ 11 more lines below                │",
  ]);
  expect(lines(2)[0]).toBe("│ ↑ 3 more lines above                 │");
  expect(lines(99).slice(-2)).toEqual([
    "│     line 10                          │",
    "│     line 11                          │",
  ]);
});

const OPTIONS = ["low", "high"].map((value) => ({ value, label: value }));

const FIELDS: InputField[] = [
  { id: "summary", type: "text", label: "Summary", description: "One line", required: true, defaultValue: "Login" },
  { id: "text", type: "textarea", label: "Text", defaultValue: "one\ntwo" },
  { id: "size", type: "select", label: "Size", options: OPTIONS },
  { id: "kind", type: "radio", label: "Kind", options: OPTIONS, defaultValue: "high" },
  { id: "urgent", type: "checkbox", label: "Urgent" },
  { id: "labels", type: "checkbox", label: "Labels", options: OPTIONS, defaultValue: ["low"] },
  { id: "pw", type: "text", label: "Password" },
];

describe("a form", () => {
  const card = createCard(form({ input_schema: { type: "form", fields: FIELDS } }));
  const drawInside = (keys: Key[], overrides: Partial<CardProps> = {}) =>
    draw(card, keys, { width: 44, ...overrides })
      .split("\n")
      .slice(1, -1)
      .map((row) => row.slice(2, -2).trimEnd());

  test("shows every field with its value, and the current one with what it accepts", () => {
    expect(drawInside([])).toEqual([
      "jira.create_issue asks: Which issue?",
      "! Password: kay does not accept secrets",
      "here. Enter them in a browser.",
      "› Summary (required): One line",
      "  > Login",
      "  Text:",
      "    one",
      "    two",
      "  Size: (empty)",
      "  Kind: high",
      "  Urgent: no",
      "  Labels: low",
      "enter next   ctrl+d decline   esc cancel",
    ]);
  });

  test.each<[string, number, string[]]>([
    ["textarea", 1, ["› Text", "  > one", "    two"]],
    ["select", 2, ["› Size", "   1 ( ) low", "   2 ( ) high"]],
    ["radio", 3, ["› Kind", "   1 ( ) low", "   2 (•) high"]],
    ["checkbox", 4, ["› Urgent", "  [ ] no"]],
    ["checkbox with options", 5, ["› Labels", "  ›1 [x] low", "   2 [ ] high"]],
  ])("shows the current %s", (_, tabs, expected) => {
    const rows = drawInside(Array.from({ length: tabs }, () => key("tab")));
    const start = rows.findIndex((row) => row.startsWith("›"));
    expect(rows.slice(start, start + expected.length)).toEqual(expected);
  });

  test("shows errors at their field", () => {
    const rows = drawInside([ctrl("u"), ...Array.from({ length: 6 }, () => key("tab"))]);
    const start = rows.findIndex((row) => row.startsWith("›"));
    expect(rows.slice(start, start + 3)).toEqual([
      "› Summary (required): One line",
      "  >",
      "  ✗ This field is required.",
    ]);
  });

  test("is reviewed before it is submitted", () => {
    const rows = drawInside(
      Array.from({ length: 6 }, () => key("tab")),
      { maxRows: 30 },
    );
    expect(rows.slice(-12, -2)).toEqual([
      "Your answers:",
      "  Summary: Login",
      "  Text:",
      "    one",
      "    two",
      "  Size: (empty)",
      "  Kind: high",
      "  Urgent: no",
      "  Labels: low",
      "jira.create_issue asks: Which issue?",
    ]);
    expect(rows.slice(-2)).toEqual(["enter submit   b back   d decline", "esc cancel"]);
  });

  test("keeps the current field visible in a short window", () => {
    for (const tabs of [0, 1, 2, 3, 4, 5]) {
      const rows = drawInside(
        Array.from({ length: tabs }, () => key("tab")),
        { maxRows: 9 },
      );
      expect(rows.filter((row) => row.startsWith("›"))).toHaveLength(1);
      expect(rows.length).toBeLessThanOrEqual(7);
    }
  });
});

test("an auth card has a line for each service", () => {
  const card = createCard(needs("slack", "gmail", "jira", "notion"));
  const links = {
    slack: { state: "connected" as const, message: "Dana in Acme" },
    gmail: { state: "opening" as const, host: "accounts.google.com" },
    jira: { state: "failed" as const, message: "You denied it." },
  };
  expect(draw(card, [], { links })).toBe(
    [
      "┌ Connect to continue ────────────────────────────────────────────── 9:58 left ┐",
      "│   1 ● slack   connected  Dana in Acme                                        │",
      "│   2 … gmail   opening  accounts.google.com                                   │",
      "│   3 ✗ jira    failed  You denied it.                                         │",
      "│   4 ○ notion  waiting                                                        │",
      "│ [enter] connect all   [1-9] one   [o] open again   [c] copy   [q] QR         │",
      "│ [s] continue without   [esc] cancel the request                              │",
      "└──────────────────────────────────────────────────────────────────────────────┘",
    ].join("\n"),
  );
});

test("a card of /connect is a separate request: nothing continues after it, or without it", () => {
  const part = needs("slack");
  if (part.type !== "data-auth-needed") throw new Error(part.type);
  const card = createCard({ ...part, data: { ...part.data, generation_id: "" } });
  expect(draw(card)).toBe(
    [
      "┌ Connect ────────────────────────────────────────────────────────── 9:58 left ┐",
      "│   ○ slack  waiting                                                           │",
      "│ [enter] connect   [o] open again   [c] copy   [q] QR   [esc] cancel          │",
      "└──────────────────────────────────────────────────────────────────────────────┘",
    ].join("\n"),
  );
});

test("a confirmation shows the whole message and its deadline", () => {
  const card: AnyCard = {
    kind: "confirmation",
    id: "t",
    message: "Delete KAY-1?\nIt stays deleted.",
    expires_at: "2026-11-27T12:00:02Z",
  };
  expect(draw(card, [], { width: 40 })).toBe(
    [
      "┌ Confirm ──────────────────── expired ┐",
      "│ Delete KAY-1?                        │",
      "│ It stays deleted.                    │",
      "│ y approve   n deny                   │",
      "└──────────────────────────────────────┘",
    ].join("\n"),
  );
});

const ODD = [
  "会議を作成しますか？ ok",
  "한글 조합",
  "\u2660\ufe0e card",
  "a\tb",
  "x\u200by",
  "progress\rDone",
  "\u2139\ufe0f info",
  "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}\u200D\u{1F466} fam",
  "🚀 launch ✅ done ❤️ 1️⃣ 🇩🇪 👍🏽 ⭐",
  "e\u0301 हिन्दी ก็ עברית عربى",
  `${"x".repeat(90)}${"会".repeat(50)}${"🚀".repeat(40)}`,
];

function oddCards(): [string, AnyCard, Key[]][] {
  const fields = ODD.map((value, index) => ({
    name: `${value.slice(0, 9)}${index}`,
    value,
    origin: "service" as const,
  }));
  const words = ["はい (一度) 🚀", "いいえ\t\u2139\ufe0f"];
  const scopes: InteractionRequest["approval_scopes"] = [
    { scope: "once", words: words[0] ?? "" },
    { scope: "always", words: words[1] ?? "" },
  ];
  const odd = ODD.join(" ");
  const asks = approval({
    tool_name: odd,
    prompt: ODD[0],
    preview: { summary: odd, account: odd, fields },
    approval_scopes: scopes,
  });
  const options = ODD.map((label, index) => ({ value: `${index}`, label }));
  const input: InputField[] = [
    { id: "a", type: "textarea", label: ODD[0] ?? "", description: odd, defaultValue: ODD.join("\n") },
    { id: "b", type: "checkbox", label: odd, options, defaultValue: ["1", "7"] },
  ];
  const asksForm = form({ prompt: odd, error: odd, input_schema: { type: "form", fields: input } });
  return [
    ["an approval", createCard(asks), []],
    [
      "an approval that is edited",
      createCard(approval({ preview: { summary: odd, fields: fields.slice(0, 4) } })),
      typeText("e"),
    ],
    ["a reason", createCard(asks), [...typeText("n"), { ...key("enter"), name: "paste", text: odd }]],
    ["a form", createCard(asksForm), []],
    ["a form with options", createCard(asksForm), [key("tab")]],
    ["a review", createCard(asksForm), [key("tab"), key("tab")]],
    ["an auth card", createCard(needs(odd, "slack")), []],
    ["a confirmation", { kind: "confirmation", id: "t", message: ODD.join("\n") }, []],
  ];
}

describe.each(oddCards())("U04 U05 every line of %s", (_, card, keys) => {
  test.each([80, 40, 20, 13])(
    "has its border in the same cell at %i columns, as the terminal counts them",
    async (width) => {
      for (const focused of [true, false]) {
        for (const maxRows of [200, 9]) {
          const text = draw(card, keys, { width, maxRows, focused, position: { n: 1, of: 2 } });
          const lines = text.split("\n");
          expect(lines.length).toBeLessThanOrEqual(maxRows);
          const { cells, rows } = await onTerminal(lines.map(pinColumns).join("\n"), width);
          expect(new Set(cells)).toEqual(new Set([width]));
          expect(rows.filter((row) => !/[┐│┘]$/.test(row))).toEqual([]);
        }
      }
    },
  );
});

const RAW = "J\x1b[31mD\x9b31m\x1b]0;t\x07\x1b[8mhidden\r\x1b[2K\x00\u202e\u200b";

test("U17 nothing raw appears from names, labels, errors and everything else", () => {
  const fields: InputField[] = [
    { id: RAW, type: "text", label: RAW, description: RAW, defaultValue: RAW },
    { id: "b", type: "select", label: RAW, options: [{ value: RAW, label: RAW }], defaultValue: RAW },
    { id: "password", type: "text", label: RAW },
  ];
  const asks = approval({
    tool_name: RAW,
    prompt: RAW,
    error: RAW,
    preview: {
      summary: RAW,
      account: RAW,
      result: RAW,
      fields: [
        { name: RAW, value: RAW },
        { name: "n", value: { [RAW]: RAW } },
      ],
    },
    approval_scopes: [{ scope: "once", words: RAW }],
    expires_at: RAW,
  });
  const asksForm = form({ tool_name: RAW, prompt: RAW, error: RAW, input_schema: { type: "form", fields } });
  const links = { [RAW]: { state: "failed" as const, host: RAW, message: RAW } };
  const output = [
    draw(createCard(asks)),
    draw(createCard(asksForm)),
    draw(createCard(asksForm), [key("tab")]),
    draw(createCard(asksForm), [key("tab"), key("tab")]),
    draw(createCard(needs(RAW)), [], { links }),
    draw({ kind: "confirmation", id: RAW, message: RAW }),
  ].join("\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(output).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u200b]/);
  expect(output).toContain("JD");
});
