import { expect, test } from "vitest";
import type { InteractionOutcome, InteractionPrompt, ToolInteraction, UserResponse } from "#connectors/interaction";
import { openMcpClient } from "#connectors/mcp/client";
import { createElicitationHandler } from "#connectors/mcp/elicitation";
import { parseFormFields } from "#connectors/mcp/form";
import type { ElicitationRequest } from "#connectors/mcp/types";
import { NOTES } from "#test/mcp-login";
import { notesServer, PAY, PRIORITY } from "#test/mcp-server";

const ASKING = { title: "Notes", where: "notes.example.test" };

/** A user who answers as the test says, and the shown cards. */
function person(...answers: UserResponse[]) {
  const cards: InteractionPrompt[] = [];
  const requests: ToolInteraction[] = [];
  return {
    cards,
    requests,
    people: {
      interaction: { available: true },
      log: () => {},
      requestInteraction: async (request: ToolInteraction): Promise<unknown> => {
        requests.push(request);
        let prompt: InteractionPrompt = request;
        for (;;) {
          cards.push(prompt);
          const answer = answers.shift();
          if (!answer) return await new Promise(() => {});
          const outcome: InteractionOutcome = await request.onResponse(answer);
          if ("complete" in outcome) return outcome.complete;
          if ("reprompt" in outcome) prompt = outcome.reprompt;
        }
      },
    },
  };
}

async function openLink(server: ReturnType<typeof notesServer>) {
  return await openMcpClient({
    name: "notes",
    title: "Notes",
    version: "0.0.0",
    elicits: true,
    place: { http: { url: NOTES, fetch: (url, init) => server.fetch(new Request(url, init)) } },
  });
}

const submit = (input: Record<string, unknown>): UserResponse => ({ action: "submit", input });

test.each(["legacy", "modern"] as const)(
  "a %s server asks with a form during a call; invalid values are asked again, valid ones reach it with their types",
  async (era) => {
    const server = notesServer({ era });
    const { people, cards } = person(
      submit({ title: "ab", stars: "9" }),
      submit({ title: "abc", stars: "9" }),
      submit({ title: "abc", stars: "4", tags: ["b", "r"] }),
    );
    const link = await openLink(server);
    const handler = createElicitationHandler(people, ASKING);
    const order: string[] = [];
    const result = await link.call(
      "add_note",
      {},
      {
        writes: true,
        onElicitation: handler.answer,
        sent: async () => void order.push("sent"),
        unsent: async () => void order.push("unsent"),
      },
    );
    expect(result.content).toEqual([{ type: "text", text: 'accept added {"title":"abc","stars":4,"tags":["r","b"]}' }]);
    expect(cards.map(({ error }) => error)).toEqual([
      undefined,
      "“Title” must have at least 3 characters. “Stars” must be at most 5.",
      "“Stars” must be at most 5.",
    ]);
    expect(cards[0]?.prompt).toBe(
      "The MCP server Notes (notes.example.test) wrote this question, not kay.\n\nWhich note?\n\nYour answers go to that server. kay never needs a password, key or code.",
    );
    expect([server.state.notes.length, order]).toEqual([1, era === "modern" ? ["unsent", "sent"] : []]);
    await link.close();
  },
);

test("a denial is a decline, leaving and expiry are a cancel, and each reaches the server", async () => {
  const server = notesServer();
  const link = await openLink(server);
  for (const answer of [{ action: "deny" }, { action: "cancel" }] as UserResponse[])
    await link.call(
      "pick_note",
      {},
      { writes: false, onElicitation: createElicitationHandler(person(answer).people, ASKING).answer },
    );
  expect(server.state.said).toEqual(["decline", "cancel"]);
  await link.close();
});

test("if nobody can be asked, that is interaction_unavailable, and the server gets a cancel", async () => {
  const server = notesServer();
  const link = await openLink(server);
  const handler = createElicitationHandler(undefined, ASKING);
  await link.call("pick_note", {}, { writes: false, onElicitation: handler.answer });
  expect([server.state.said, handler.notes()]).toEqual([
    ["cancel"],
    [
      "interaction_unavailable: Notes asked the user a question, but no connected client can answer. The question was canceled.",
    ],
  ]);
  await link.close();
});

test("a server that keeps asking gets five answers", async () => {
  const server = notesServer();
  const link = await openLink(server);
  const answers = Array.from({ length: 9 }, () => submit({ title: "abc" }));
  await link.call(
    "nag",
    {},
    { writes: false, onElicitation: createElicitationHandler(person(...answers).people, ASKING).answer },
  );
  expect(server.state.said).toEqual([...Array(5).fill("accept"), "cancel", "cancel"]);
  await link.close();
});

test("a URL that must be visited first is shown whole with its host and not opened, and the call is repeated afterwards; a report by the server counts too", async () => {
  const server = notesServer();
  const link = await openLink(server);
  const { people, cards, requests } = person(submit({}), submit({}));
  const paying = {
    ...people,
    requestInteraction: async (request: ToolInteraction) => {
      if (cards.length === 1) server.state.paid = true;
      return await people.requestInteraction(request);
    },
  };
  const result = await link.call(
    "list_paid",
    {},
    { writes: false, onElicitation: createElicitationHandler(paying, ASKING).answer },
  );
  expect([result.content, server.state.calls]).toEqual([[{ type: "text", text: "paid notes" }], 3]);
  expect(cards[0]).toMatchObject({ type: "input", link: PAY, inputSchema: { type: "form", fields: [] } });
  expect(cards[0]?.prompt).toBe(
    `The MCP server Notes (notes.example.test) wrote this question, not kay.\n\nPay first.\n\nOpen in the browser, on pay.example.test:\n${PAY}\n\nkay sends no data there and does not see what you do. kay never needs a password, key or code.`,
  );
  expect(requests[0]?.done?.aborted).toBe(false);
  await server.pay();
  await expect.poll(() => requests[0]?.done?.aborted).toBe(true);
  await link.close();
});

test("a URL that is not https, or has a password in it, is not shown", async () => {
  for (const url of [
    "javascript:alert(1)",
    "http://pay.example.test/",
    "https://u:p@pay.example.test/",
    "file:///etc/passwd",
  ]) {
    const { people, cards } = person();
    const handler = createElicitationHandler(people, ASKING);
    expect(
      await handler.answer({ mode: "url", message: "Go", url, elicitationId: "1" }, AbortSignal.timeout(1000)),
    ).toEqual({ action: "cancel" });
    expect([cards, handler.notes()[0]]).toEqual([
      [],
      "Notes asked to open a URL that kay does not show because it is not https.",
    ]);
  }
});

test("each kind of field accepts valid values and says what is invalid", () => {
  const fields = parseFormFields({
    type: "object",
    properties: {
      mail: { type: "string", format: "email" },
      site: { type: "string", format: "uri" },
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      many: { type: "number", minimum: 0.5 },
      yes: { type: "boolean", default: true },
      old: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"], default: "b" },
      one: { type: "string", oneOf: [{ const: "x", title: "The X" }] },
      few: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["p", "q", "r"] } },
    },
    required: ["mail", "few"],
  });
  expect(fields?.map(({ field }) => field)).toMatchObject([
    { id: "mail", type: "text", label: "mail", required: true },
    { id: "site", type: "text" },
    { id: "day", type: "text", description: "YYYY-MM-DD" },
    { id: "at", type: "text" },
    { id: "many", type: "text" },
    { id: "yes", type: "checkbox", defaultValue: true },
    {
      id: "old",
      type: "select",
      defaultValue: "b",
      options: [
        { value: "a", label: "A" },
        { value: "b", label: "B" },
      ],
    },
    { id: "one", type: "select", options: [{ value: "x", label: "The X" }] },
    { id: "few", type: "checkbox", required: true, description: "Choose 1 to 2." },
  ]);
  const readField = (id: string, input: unknown) => fields?.find(({ field }) => field.id === id)?.read(input);
  const readProblem = (id: string, input: unknown) => (readField(id, input) as { wrong?: string }).wrong;
  expect([readField("mail", "a@b.c"), readField("mail", ""), readProblem("mail", "a@b")]).toEqual([
    { value: "a@b.c" },
    { wrong: "must be filled in" },
    "must be an email address",
  ]);
  expect([readField("site", "https://x.test/"), readProblem("site", "x.test")]).toEqual([
    { value: "https://x.test/" },
    "must be a URL such as https://example.com",
  ]);
  expect([readField("day", "2026-02-28"), readProblem("day", "2026-02-30")]).toEqual([
    { value: "2026-02-28" },
    "must be a date such as 2026-11-27",
  ]);
  expect([readField("at", "2026-02-28T10:00:00Z"), readProblem("at", "2026-02-28 10:00")]).toEqual([
    { value: "2026-02-28T10:00:00Z" },
    "must be a time such as 2026-11-27T12:00:00Z",
  ]);
  expect([
    readField("many", "1.5"),
    readField("many", ""),
    readProblem("many", "0x10"),
    readProblem("many", "0.1"),
    readProblem("many", "1e999"),
  ]).toEqual([{ value: 1.5 }, {}, "must be a number", "must be at least 0.5", "must be a number"]);
  expect([
    readField("yes", undefined),
    readField("old", "a"),
    readProblem("old", "c"),
    readField("one", undefined),
  ]).toEqual([{ value: false }, { value: "a" }, "must be one of the choices", {}]);
  expect([
    readField("few", ["r", "p"]),
    readProblem("few", []),
    readProblem("few", ["p", "q", "r"]),
    readProblem("few", ["p", "z"]),
  ]).toEqual([
    { value: ["p", "r"] },
    "needs at least 1 choices",
    "allows at most 2 choices",
    "must be among the choices",
  ]);
});

test("an invalid form is not shown", () => {
  const nested = { type: "object", properties: { a: { type: "object", properties: {} } } };
  const largeSchema = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`f${i}`, { type: "string" }])),
  };
  const unlisted = { type: "object", properties: { a: { type: "array", items: { type: "string" } } } };
  for (const schema of [undefined, {}, nested, largeSchema, unlisted, { ...PRIORITY, properties: [] }])
    expect(parseFormFields(schema)).toBeUndefined();
});

test.each([
  ["a label", { answer: { type: "string", title: "Your password" } }],
  ["a label in another language", { answer: { type: "string", title: "Ihr Kennwort" } }],
  ["a name", { api_key: { type: "string", title: "Answer" } }],
])("a form that asks for a secret by %s is not shown, and the server gets a cancel", async (_, properties) => {
  const { people, cards } = person(submit({ answer: "s3cret" }));
  const handler = createElicitationHandler(people, ASKING);
  const request = { message: "Go on?", requestedSchema: { type: "object", properties } } as ElicitationRequest;
  expect(await handler.answer(request, new AbortController().signal)).toEqual({ action: "cancel" });
  expect(cards).toEqual([]);
  expect(handler.notes()).toEqual([
    expect.stringMatching(/^Notes asked for a secret in a form \(“.+”\), which kay does not show\./),
  ]);
});
