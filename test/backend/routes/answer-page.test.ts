import { expect, test } from "vitest";
import * as z from "zod/mini";
import { defineTool } from "#connectors/tool";
import { connect } from "#test/consent";
import { deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const sent: unknown[] = [];
const post = defineTool({
  name: "jira.post",
  description: "Post.",
  access: "write",
  input: z.object({ text: z.string(), options: z.object({ urgent: z.boolean(), tags: z.array(z.string()) }) }),
  examples: [],
  summary: ({ text }) => `Post ${text.slice(0, 10)}`,
  run: async (input) => {
    sent.push(input);
    return { data: {}, text: "Posted." };
  },
});
const fill = defineTool({
  name: "jira.fill",
  description: "Fill.",
  access: "read",
  input: z.object({}),
  examples: [],
  summary: () => "Fill",
  run: async (_, { people }) => ({
    data: await people?.requestInteraction({
      type: "input",
      prompt: "Which <b>one</b>?",
      inputSchema: {
        type: "form",
        fields: [
          { id: "name", type: "text", label: "Name", required: true },
          {
            id: "size",
            type: "select",
            label: "Size",
            options: [
              { value: "s", label: "Small" },
              { value: "l", label: "Large" },
            ],
          },
          {
            id: "tags",
            type: "checkbox",
            label: "Tags",
            options: [
              { value: "a", label: "A" },
              { value: "b", label: "B" },
            ],
          },
          { id: "now", type: "checkbox", label: "Now" },
          { id: "password", type: "text", label: "Password" },
        ],
      },
      onResponse: (response) => ({ complete: response }),
    }),
    text: "Filled.",
  }),
});
const { model, world } = useScriptedBackend({ services: deskServices([], undefined, [post, fill]) });

const HOSTILE = `<script>alert(1)</script>"'&\u202e\n\n first`;
const INPUT = { text: HOSTILE, options: { urgent: false, tags: ["a<b"] } };

/** An open request of a user with a terminal. */
async function setUp(tool: "post" | "fill" = "post", input: object = INPUT) {
  sent.length = 0;
  model.script({ calls: [["c1", `jira.${tool}`, tool === "post" ? input : {}]] }, { text: "Done." });
  const { token, installation } = await connect(world());
  const turn = await ask(world(), token, "go");
  const request = await turn.asked();
  await turn.until(tool === "post" ? "awaiting_approval" : "awaiting_input");
  return { token, installation, turn, id: request.interaction_id };
}

/** A browser that stores one cookie. */
function createBrowser(publicUrl = world().ports.publicUrl) {
  let cookie = "";
  const visit = async (path: string, form?: Record<string, string> | [string, string][]) => {
    const response = await world().backend.fetch(
      new Request(publicUrl + path, {
        method: form ? "POST" : "GET",
        headers: {
          ...(cookie ? { cookie } : {}),
          ...(form ? { "content-type": "application/x-www-form-urlencoded", origin: publicUrl } : {}),
        },
        ...(form ? { body: new URLSearchParams(form).toString() } : {}),
        redirect: "manual",
      }),
    );
    const set = response.headers.get("set-cookie");
    if (set) cookie = set.split(";")[0] ?? "";
    const html = await response.text();
    const ticket = /name="ticket" value="([^"]*)"/.exec(html)?.[1] ?? "";
    return { status: response.status, html, ticket, headers: response.headers, set };
  };
  return { visit, cookie: () => cookie };
}

async function link(token: string, id?: string): Promise<string> {
  const { status, body } = await world().call("POST /pending/link", { token, body: id ? { id } : {} });
  expect(status).toBe(200);
  return new URL(String(body.url)).pathname;
}

async function signIn(token: string, id?: string) {
  const browser = createBrowser();
  const path = await link(token, id);
  const { ticket } = await browser.visit(path);
  const entered = await browser.visit("/answer/device", { token: path.split("/").at(-1) ?? "", ticket });
  return { ...browser, path, entered };
}

test("a link signs one device in once; viewing it does not use it up", async () => {
  const { token, id } = await setUp();
  const { visit, path, entered } = await signIn(token, id);
  expect([entered.status, entered.headers.get("location")]).toEqual([303, `/answer/${id}`]);
  expect(entered.set).toMatch(/^kay-answer=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  expect((await visit(`/answer/${id}`)).html).toContain("Approve jira.post?");
  const other = createBrowser();
  expect((await other.visit(path)).status).toBe(410);
  expect((await other.visit(`/answer/${id}?again=1`)).status).toBe(401);
  const first = await other.visit(`/answer/${id}`);
  expect([first.status, first.html]).toEqual([200, expect.stringContaining(`0; url=/answer/${id}?again=1`)]);
  const stored = await world().ports.db.selectFrom("answer_devices").selectAll().execute();
  expect(JSON.stringify(stored)).not.toContain(entered.set?.slice(11, 54));
});

test("of two devices that open one link at once, one gets it", async () => {
  const { token } = await setUp();
  const path = await link(token);
  const secret = path.split("/").at(-1) ?? "";
  const browsers = [createBrowser(), createBrowser(), createBrowser()];
  const tickets = await Promise.all(browsers.map(({ visit }) => visit(path)));
  const ends = await Promise.all(
    browsers.map(({ visit }, index) =>
      visit("/answer/device", { token: secret, ticket: tickets[index]?.ticket ?? "" }),
    ),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
});

test("a link expires after ten minutes, and is not in the log", async () => {
  const { token } = await setUp();
  const path = await link(token);
  world().clock.advance(600_000);
  expect((await createBrowser().visit(path)).status).toBe(410);
  expect(world().log.join("\n")).not.toContain(path.split("/").at(-1));
});

test("the page loads and runs nothing, cannot be framed, and sends no referrer", async () => {
  const { token, id } = await setUp();
  const { visit } = await signIn(token);
  for (const path of ["/answer", `/answer/${id}`, `/answer/${id}?edit=1`]) {
    const { headers, html } = await visit(path);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(html).not.toMatch(/<script|javascript:|https?:\/\//);
    if (!path.includes("edit")) expect(html).not.toContain("\u202e");
  }
});

test("an approval shows every value, approves what was shown, and then says that it is answered", async () => {
  const { token, turn, id } = await setUp();
  const { visit } = await signIn(token);
  const { html, ticket } = await visit(`/answer/${id}`);
  expect(html).toContain("options.urgent");
  expect(html).toContain("a&lt;b");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
  const answered = await visit(`/answer/${id}`, { ticket, decision: "once" });
  expect([answered.status, answered.headers.get("location")]).toEqual([303, `/answer/${id}`]);
  await turn.until("completed");
  expect(sent).toEqual([INPUT]);
  const after = await visit(`/answer/${id}`);
  expect(after.html).toContain("It was already answered: approve, by the answer page.");
  expect((await visit(`/answer/${id}`, { ticket, decision: "deny" })).html).toContain(
    "It was already answered: approve",
  );
  expect(turn.parts.find((part) => part.type === "data-interaction-response")).toMatchObject({
    data: { action: "approve", client: "the answer page" },
  });
});

test("the changes of a step are shown together, each whole, and answered with one button", async () => {
  sent.length = 0;
  const inputs = ["mango", "banana", "cherry"].map((text) => ({ ...INPUT, text }));
  model.script({ calls: inputs.map((input, index) => [`c${index}`, "jira.post", input]) }, { text: "Done." });
  const { token } = await connect(world());
  const turn = await ask(world(), token, "go");
  await turn.until("awaiting_approval");
  const { visit } = await signIn(token);
  const open = [...(await visit("/answer")).html.matchAll(/href="\/answer\/(int_\w+)"/g)].map(([, id = ""]) => id);
  expect(open).toHaveLength(3);
  const [id = ""] = open;
  const card = await visit(`/answer/${id}`);
  expect(card.html).toContain(`<a href="/answer/${id}?plan=1">All 3 changes of this step</a>`);
  const plan = await visit(`/answer/${id}?plan=1`);
  const places = ["1 of 3", "mango", "2 of 3", "banana", "3 of 3", "cherry", "Approve all 3", "Deny all 3"];
  const indexes = places.map((text) => plan.html.indexOf(text));
  expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
  expect(indexes).not.toContain(-1);
  const ids = /name="ids" value="([^"]*)"/.exec(plan.html)?.[1] ?? "";
  const path = `/answer/${ids.split(",")[0]}`;
  for (const wrong of [ids.split(",").slice(0, 2).join(","), `${ids},int_other`])
    expect((await visit(path, { ticket: plan.ticket, ids: wrong, decision: "once" })).status).toBe(403);
  expect((await visit(path, { ticket: card.ticket, ids, decision: "once" })).status).toBe(403);
  expect(sent).toEqual([]);
  await turn.answer(ids.split(",")[1] ?? "", { action: "deny" });
  expect((await visit(path, { ticket: plan.ticket, ids, decision: "once" })).status).toBe(303);
  await turn.until("completed");
  expect(sent).toEqual([inputs[0], inputs[2]]);
});

test("a request that was answered elsewhere says so", async () => {
  const { token, turn, id } = await setUp();
  const { visit } = await signIn(token);
  const { ticket } = await visit(`/answer/${id}`);
  await turn.answer(id, { action: "deny" });
  await turn.until("completed");
  const late = await visit(`/answer/${id}`, { ticket, decision: "once" });
  expect(late.html).toContain("It was already answered: deny.");
  expect(sent).toEqual([]);
});

test("an edit sends exactly what was typed, and untouched values exactly as they were", async () => {
  const { token, turn, id } = await setUp();
  const { visit } = await signIn(token);
  const { html, ticket } = await visit(`/answer/${id}?edit=1`);
  expect(html).toContain("Approve as edited once");
  const crlf = HOSTILE.replaceAll("\n", "\r\n");
  const wrong = await visit(`/answer/${id}`, { ticket, decision: "once", edit_0: crlf, edit_1: "{nonsense" });
  expect([wrong.status, wrong.html]).toEqual([422, expect.stringContaining("“options” must be JSON, as it was.")]);
  expect(wrong.html).toContain("{nonsense</textarea>");
  const unfit = await visit(`/answer/${id}`, { ticket, decision: "once", edit_0: crlf, edit_1: '{"urgent":"x"}' });
  expect(unfit.status).toBe(422);
  const edit = JSON.stringify({ urgent: true, tags: [] });
  expect((await visit(`/answer/${id}`, { ticket, decision: "once", edit_0: crlf, edit_1: edit })).status).toBe(303);
  await turn.until("completed");
  expect(sent).toEqual([{ text: HOSTILE, options: { urgent: true, tags: [] } }]);
});

test("without a change, the page of an edit approves what was shown", async () => {
  const { token, turn, id } = await setUp();
  const { visit } = await signIn(token);
  const { ticket } = await visit(`/answer/${id}?edit=1`);
  // As the database gives it back.
  const same = JSON.stringify({ tags: INPUT.options.tags, urgent: false }, null, 2);
  await visit(`/answer/${id}`, {
    ticket,
    decision: "session",
    edit_0: HOSTILE.replaceAll("\n", "\r\n"),
    edit_1: same.replaceAll("\n", "\r\n"),
  });
  await turn.until("completed");
  const part = turn.parts.find(({ type }) => type === "data-interaction-response");
  expect(part).toMatchObject({ data: { approval_scope: "session" } });
  expect(part).not.toHaveProperty("data.edited_args");
});

test("a form is filled in, with its errors shown and no field for a secret", async () => {
  const { token, turn, id } = await setUp("fill");
  const { visit } = await signIn(token);
  const { html, ticket } = await visit(`/answer/${id}`);
  expect(html).toContain("Which &lt;b&gt;one&lt;/b&gt;?");
  expect(html).toContain("kay does not accept secrets here.");
  expect(html).not.toContain('name="field_4"');
  const empty = await visit(`/answer/${id}`, { ticket, decision: "submit", field_0: "" });
  expect([empty.status, empty.html]).toEqual([422, expect.stringContaining("“Name” must be filled in.")]);
  await visit(`/answer/${id}`, [
    ["ticket", ticket],
    ["decision", "submit"],
    ["field_0", "Ann"],
    ["field_1", "l"],
    ["field_2", "a"],
    ["field_2", "b"],
    ["field_4", "hunter2"],
  ]);
  await turn.until("completed");
  expect(turn.parts.find(({ type }) => type === "data-interaction-response")).toMatchObject({
    data: { action: "submit", input: { name: "Ann", size: "l", tags: ["a", "b"], now: false } },
  });
});

test("a form of another page, device or request is refused", async () => {
  const { token, id } = await setUp();
  const ann = await signIn(token);
  const { ticket } = await ann.visit(`/answer/${id}`);
  const second = await signIn(token);
  for (const given of ["", "x", ticket])
    expect((await second.visit(`/answer/${id}`, { ticket: given, decision: "once" })).status).toBe(403);
  const list = await ann.visit("/answer");
  expect((await ann.visit(`/answer/${id}`, { ticket: list.ticket, decision: "once" })).status).toBe(403);
  const foreign = await world().backend.fetch(
    new Request(`${world().ports.publicUrl}/answer/${id}`, {
      method: "POST",
      headers: { cookie: ann.cookie(), origin: "https://evil.example" },
      body: new URLSearchParams({ ticket, decision: "once" }).toString(),
    }),
  );
  expect(foreign.status).toBe(403);
  expect(sent).toEqual([]);
});

test("a device sees only the requests of its own installation, and none after a logout", async () => {
  const ann = await setUp();
  const bob = await connect(world());
  const device = await signIn(bob.token);
  expect((await device.visit("/answer")).html).toContain("No open requests.");
  expect((await device.visit(`/answer/${ann.id}`)).status).toBe(404);
  expect((await world().call("POST /pending/link", { token: bob.token, body: { id: ann.id } })).status).toBe(404);
  const own = await signIn(ann.token);
  expect((await own.visit("/answer")).html).toContain(`href="/answer/${ann.id}"`);
  await world().call("POST /auth/logout", { token: ann.token });
  expect((await own.visit("/answer?again=1")).status).toBe(401);
});

test("a device can be signed out from its page", async () => {
  const { token } = await setUp();
  const { visit } = await signIn(token);
  const { ticket } = await visit("/answer");
  expect((await visit("/answer/device/forget", { ticket })).set).toContain("Max-Age=0");
  expect((await visit("/answer?again=1")).status).toBe(401);
});
