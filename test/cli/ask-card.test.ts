import { expect, test, vi } from "vitest";
import type { StreamPart } from "#protocol/events";
import { type Ink, openInk } from "#test/ink";
import { type Machine, type RunSetting, useKay } from "#test/kay";
import type { Reply } from "#test/network";
import { approval, begins, brings, calls, createAnswer, createText, ends, form, IDS, sse, status } from "#test/parts";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

/** Runs a command on a terminal that prompts for these cards, and continues with `rest` once each is answered. */
async function ask(
  cards: StreamPart[],
  rest: StreamPart[],
  { refusals = [], ...setting }: RunSetting & { refusals?: Reply[] } = {},
): Promise<{ ann: Machine; ink: Ink; given: unknown[]; extended: string[] }> {
  const ann = kay({ signedIn: true });
  const answers: unknown[] = [];
  const all = Promise.withResolvers<void>();
  const openingParts = [...begins(), calls("slack.send_message", {}), ...cards, status("awaiting_approval")];
  const stream = async function* () {
    yield* sse(openingParts, { ends: false });
    const allAnswered = all.promise.then(() => true);
    while (!(await Promise.race([allAnswered, ann.place.clock.sleep(20_000).then(() => false)]))) yield ": ping\n\n";
    yield* sse(rest, { first: openingParts.length + 1 });
  };
  const { network } = ann.place;
  network.on("POST /ask", { stream: stream() });
  const route = "POST /sessions/session_1/interactions/";
  for (const reply of refusals) network.on(route, reply);
  const extended: string[] = [];
  network.always(route, ({ body, url }) => {
    if (url.endsWith("/extend")) {
      const interaction_id = url.split("/").at(-2) ?? "";
      extended.push(interaction_id);
      return { json: { ...IDS, interaction_id, expires_at: "2026-11-27T12:07:00.000Z" } };
    }
    answers.push(body);
    if (answers.length === cards.length) all.resolve();
    return { json: { ...IDS, interaction_id: url.split("/").at(-1), ...(body as object) } };
  });
  const ink = await openInk(ann, "ask x", setting);
  return { ann, ink, given: answers, extended };
}

const APPROVED = [createAnswer({ action: "approve" }), brings({ ok: true }), ...createText("It is sent."), ...ends()];
const DENIED = [createAnswer({ action: "deny" }), ...createText("I did not send it."), ...ends()];

test("N19 N55 a single command asks with the card of a session, and leaves what was asked and answered", async () => {
  const { ink, given } = await ask([approval()], APPROVED);
  const card = await ink.sees("n deny");
  expect(card).toMatch(/^┌ Approve ─ slack\.send_message ─ writes ─+ \d+:\d\d left ┐$/m);
  expect(card).toContain("│ 1 once   2 this session: slack.send_message to #general");
  await ink.press("2");
  expect((await ink.result).exit).toBe(0);
  const all = await ink.all();
  expect(all).not.toMatch(/[┌│└]/);
  expect(all).toContain(
    "  text: 3 open bugs (from KAY-15, not from you)\n\n✓ slack.send_message approved for this session\n",
  );
  expect(given).toMatchObject([{ action: "approve", approval_scope: "session" }]);
});

test("nothing but an offered answer is one: Enter, one Escape, y, 4 and a pasted 1 are none", async () => {
  const { ink, given } = await ask([approval()], DENIED);
  await ink.sees("n deny");
  for (const keys of ["\r", "y", "4", "1 and more", "\x1b[200~1\x1b[201~", "\x1b"]) await ink.press(keys);
  await ink.sees("esc again: deny");
  expect(given).toEqual([]);
  await ink.press("\x1b");
  expect((await ink.result).exit).toBe(5);
  expect(ink.raw()).not.toContain("^[");
  expect(given).toMatchObject([{ action: "deny" }]);
});

test("an edit is shown in the card, and one that is refused is asked about again with what was edited", async () => {
  const json = { error: "INVALID_REQUEST", code: "INVALID_REQUEST", message: "channel: no such." };
  const { ink, given } = await ask([approval()], APPROVED, { refusals: [{ status: 400, json }] });
  await ink.sees("n deny");
  await ink.press("e");
  await ink.sees("enter next");
  for (const keys of ["\x15", "#ops", "\r", "\r"]) await ink.press(keys);
  await ink.sees("Edited request");
  await ink.press("1");
  await ink.sees("✗ channel: no such.");
  await ink.press("1");
  await ink.result;
  expect(given).toMatchObject([{ action: "approve", edited_args: { channel: "#ops" } }]);
  expect(await ink.all()).toContain("Edited request:\n  channel: #ops\n");
});

test("a form is filled in and reviewed on the card", async () => {
  const { ink, given } = await ask([form()], [createAnswer({ action: "submit" }), ...createText("Made."), ...ends()]);
  await ink.sees("ctrl+d decline");
  await ink.press("1");
  ink.type("\r");
  ink.type("Login loops\r");
  await ink.press("\r");
  await ink.sees("enter submit");
  await ink.press("\r");
  expect((await ink.result).exit).toBe(0);
  expect(given).toMatchObject([{ action: "submit", input: { summary: "Login loops" } }]);
  expect(await ink.all()).toContain("  Summary: Login loops\n");
});

test("N53 a form or a plan that is used shortly before its deadline asks once for more time", async () => {
  const soon = { expires_at: "2026-11-27T12:02:00.000Z" };
  const approved = await ask([form(soon)], [createAnswer({ action: "submit" }), ...createText("Made."), ...ends()]);
  await approved.ink.sees("ctrl+d decline");
  expect(approved.extended).toEqual([]);
  for (const keys of ["1", "\r", "Login loops\r", "\r"]) await approved.ink.press(keys);
  await approved.ink.sees("enter submit");
  await approved.ink.press("\r");
  expect((await approved.ink.result).exit).toBe(0);
  expect(approved.extended).toEqual(["int_1"]);

  const call = (n: number) =>
    approval({ ...soon, interaction_id: `int_${n}`, tool_call_id: `c${n}`, plan: { id: "plan_1", n, of: 2 } });
  const rest = [1, 2].map((n) => createAnswer({ interaction_id: `int_${n}`, action: "approve" }));
  const plan = await ask([call(1), call(2)], [...rest, ...createText("So."), ...ends()]);
  await plan.ink.sees("approve all 2");
  await plan.ink.press("\x1b[B");
  await expect.poll(() => plan.extended).toEqual(["int_1", "int_2"]);
  await plan.ink.press("a");
  expect((await plan.ink.result).exit).toBe(0);
});

test("a plan is answered as a whole, or one by one after Tab", async () => {
  const call = (n: number) =>
    approval({
      ...{ interaction_id: `int_${n}`, tool_call_id: `c${n}`, plan: { id: "plan_1", n, of: 2 } },
      preview: { summary: `Message ${n}`, access: "write", fields: [{ name: "text", value: `text ${n}` }] },
    });
  const rest = [1, 2].map((n) => createAnswer({ interaction_id: `int_${n}`, action: "approve" }));
  const whole = await ask([call(1), call(2)], [...rest, ...createText("So."), ...ends()]);
  expect(await whole.ink.sees("approve all 2")).toContain("tab one by one   n deny all");
  await whole.ink.press("a");
  expect((await whole.ink.result).exit).toBe(0);
  expect(whole.given).toMatchObject([{ action: "approve" }, { action: "approve" }]);
  const single = await ask([call(1), call(2)], [...rest, ...createText("So."), ...ends()]);
  await single.ink.sees("approve all 2");
  single.ink.type("\t");
  await single.ink.sees("Message 1");
  await single.ink.sheds("approve all 2");
  await single.ink.press("1");
  await single.ink.sees("Message 2");
  await single.ink.press("1");
  expect((await single.ink.result).exit).toBe(0);
  expect(single.given).toMatchObject([{ action: "approve" }, { action: "approve" }]);
});

test("Ctrl+D leaves the request open, and a card on 40 columns fits after a resize", async () => {
  const { ink } = await ask([approval()], DENIED, { columns: 80, rows: 24 });
  await ink.sees("n deny");
  ink.terminal.resize(40, 12);
  await expect.poll(() => ink.raw()).toContain("\x1b[6n");
  ink.type("\x04");
  expect((await ink.result).exit).toBe(8);
});

test("a window that is too low for the card says so, and its keys do nothing until it is taller", async () => {
  const { ink, given } = await ask([approval()], APPROVED, { columns: 80, rows: 3 });
  await ink.sees("Make the window taller to answer the open request.");
  await ink.press("1");
  ink.terminal.resize(80, 24);
  await ink.sees("n deny");
  expect(given).toEqual([]);
  await ink.press("2");
  expect((await ink.result).exit).toBe(0);
  expect(given).toMatchObject([{ approval_scope: "session" }]);
});

test("a stream that breaks takes the card away before it is said", async () => {
  const ann = kay({ signedIn: true });
  const stream = async function* () {
    yield* sse([...begins(), approval(), status("awaiting_approval")], { ends: false });
    await new Promise(() => {});
  };
  ann.place.network.on("POST /ask", { stream: stream() });
  const ink = await openInk(ann, "ask x");
  expect((await ink.result).exit).not.toBe(0);
  expect(await ink.all()).not.toMatch(/[┌│└]/);
});
