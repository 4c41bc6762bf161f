import { expect, test, vi } from "vitest";
import { type Ink, openInk } from "#test/ink";
import { useKay } from "#test/kay";
import { openDesk } from "#test/session";
import { ASK_POSITION } from "#ui/keys/key";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

const desk = () => openDesk(kay);

/** How often a text is on the terminal. */
function count(text: string, word: string): number {
  return text.split(word).length - 1;
}

/** Opens a session and sends a request that needs an approval. */
async function atCard(ann: ReturnType<typeof desk>["ann"], prompt = "delete KAY-3"): Promise<Ink> {
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter(prompt);
  await ink.sees("1 once");
  return ink;
}

test("a request is answered, a tool that changes something asks first, and all of it stands in the scrollback", async () => {
  const { ann, log } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("show KAY-3");
  await ink.shows("KAY-3 is open.");
  ink.enter("delete KAY-3");
  await ink.sees("1 once");
  expect(log).toEqual(["show KAY-3"]);
  await ink.press("1");
  await ink.shows("KAY-3 is deleted.");
  await ink.sheds("working");
  const { exit } = await ink.leave();
  expect(exit).toBe(0);
  expect(log).toEqual(["show KAY-3", "delete KAY-3"]);
  const all = await ink.all();
  for (const once of ["> show KAY-3", "KAY-3 is open.", "> delete KAY-3", "KAY-3 is deleted.", "`kay ask --resume"])
    expect([once, count(all, once)]).toEqual([once, 1]);
  expect(all).not.toContain("Offline planner ·");
});

test("a session that was killed at a card returns with it open, history once, and an answer runs the work once", async () => {
  const { ann, log } = desk();
  const first = await atCard(ann);
  ann.interrupt("SIGHUP");
  expect((await first.result).exit).toBe(129);
  expect(log).toEqual([]);
  for (const line of ["ask --continue", "ask -r latest", "attach"]) {
    const secondInk = await openInk(ann, line);
    const all = await secondInk.shows("1 once");
    expect(count(all, "> delete KAY-3")).toBe(1);
    expect((await secondInk.leave()).exit).toBe(8);
    expect(await secondInk.all()).toMatch(/Open requests stay open/);
  }
  const last = await openInk(ann, "ask -c");
  await last.shows("1 once");
  await last.press("1");
  const all = await last.shows("KAY-3 is deleted.");
  expect(count(all, "> delete KAY-3")).toBe(1);
  expect((await last.leave()).exit).toBe(0);
  expect(log).toEqual(["delete KAY-3"]);
});

test("kay attach sees the same card; the first answer counts, and the other one says who gave it", async () => {
  const { ann, log } = desk();
  const first = await atCard(ann);
  const second = await openInk(ann, "attach");
  await second.sees("1 once");
  await first.sees(/with kay attach [0-9a-f]{4}/);
  await second.sees(/with kay [0-9a-f]{4}/);
  await second.press("1");
  await second.shows("KAY-3 is deleted.");
  const all = await first.shows("KAY-3 is deleted.");
  expect(all).toMatch(/approved .*by kay attach [0-9a-f]{4}/);
  second.enter("show KAY-1");
  await second.shows("KAY-1 is open.");
  expect(count(await first.shows("KAY-1 is open."), "> show KAY-1")).toBe(1);
  await second.leave();
  await first.sees(/kay attach [0-9a-f]{4} left/);
  await first.leave();
  expect(log).toEqual(["delete KAY-3", "show KAY-1"]);
});

test("a prompt sent during another one waits for it; Ctrl+C ends the turn, and queued text returns", async () => {
  const { ann, log } = desk();
  const ink = await atCard(ann);
  ink.type("show KAY-1\r");
  await ink.sees("show KAY-1");
  await ink.press("\t");
  await ink.press("\r");
  await ink.sees("next: show KAY-1");
  await ink.press("\x03");
  await ink.sheds("1 once");
  await ink.shows("cancelled");
  expect(await ink.window()).toContain("> show KAY-1");
  await ink.press("\r");
  await ink.shows("KAY-1 is open.");
  await ink.leave();
  expect(log).toEqual(["show KAY-1"]);
});

test("a session rings when a card opens while its window has no focus, unless notify is off", async () => {
  const { ann } = desk();
  for (const [line, rings] of [
    ["config set notify auto", true],
    ["config set notify off", false],
  ] as const) {
    expect((await ann(line)).exit).toBe(0);
    const ink = await openInk(ann, "ask");
    await ink.sees("● jira");
    ink.type("\x1b[O");
    ink.enter("delete KAY-3");
    await ink.sees("1 once");
    await ink.press("n");
    expect(ink.raw().includes("\x07")).toBe(rings);
    ann.interrupt("SIGTERM");
    await ink.result;
  }
});

test("U17 control characters in a backend's errors and in typed text never reach the terminal", async () => {
  const { ann } = desk();
  const evil = "bad\x1b]0;owned\x07\x1b[2J\u202e\u009b31m";
  ann.place.network.on("POST /ask", { status: 503, json: { error: "X", code: "X", message: evil } });
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("show KAY-1");
  await ink.shows(/processed\.\s+bad/);
  ink.type(`\x1b[200~/rename ${evil}\x1b[201~`);
  ink.type("\r");
  await ink.shows("There is nothing to rename yet");
  for (const part of ["\x1b]0;owned", "\x1b[2J", "\u202e", "\u009b"]) expect(ink.raw()).not.toContain(part);
  await ink.leave();
});

test("every command of the table works in the session, and only /quit ends it", async () => {
  const { ann } = desk();
  const ink = await openInk(ann, "ask", { rows: 40 });
  await ink.sees("● jira");
  ink.enter("show KAY-1");
  await ink.shows("KAY-1 is open.");
  await ink.sheds("working");
  for (const [line, output] of [
    ["/help", "To send text that starts with a slash, type two: //etc"],
    ["/connections", "confluence"],
    ["/tools jira", "jira.delete_issue"],
    ["/policy", "> /policy"],
    ["/policy jira reads", "> /policy jira reads"],
    ["/approvals", "> /approvals"],
    ["/pending", "> /pending"],
    ["/model", "> /model"],
    ["/rename Open bugs", "Open bugs"],
    ["/export md", "Written to"],
    ["/frobnicate", "Unknown command /frobnicate"],
    ["/connect", "Connect which service?"],
    ["/disconnect", "Disconnect which service?"],
    ["/sessions", "Which conversation?"],
    ["/clear", "Started a new conversation."],
  ] as const) {
    ink.enter(line);
    await ink.shows(output);
    if (!(await ink.window()).includes("esc cancel")) continue;
    ink.type("\x1b");
    await ink.sheds("esc cancel");
  }
  ink.enter("show KAY-2");
  await ink.shows("KAY-2 is open.");
  await ink.sheds("working");
  ink.enter("/sessions 2");
  await ink.shows(/> \/sessions 2\n[\s\S]*KAY-1 is open\./);
  expect(count(await ink.all(), "KAY-2 is open.")).toBe(1);
  ink.enter("/quit");
  expect((await ink.result).exit).toBe(0);
  expect(ink.terminal.written.stderr).not.toContain("/");
});

test("keys up to the terminal's answer at the end are encoded for a session, and do not reach the shell", async () => {
  const { ann } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.type("\x1b[12;1R");
  const [answered, asked] = [Promise.withResolvers<void>(), () => ink.raw().split(ASK_POSITION).length - 1];
  void ann.place.clock.during(answered.promise);
  expect(asked()).toBe(1);
  ink.type("\x04");
  await expect.poll(asked).toBe(2);
  ink.type("\x1b[99;5u");
  expect(ink.terminal.isRead()).toBe(true);
  ink.type("\x1b[12;1R");
  await expect.poll(() => ink.terminal.isRead()).toBe(false);
  answered.resolve();
  expect((await ink.result).exit).toBe(0);
});

test("a terminal that never answers is not asked at the end, and does not hold the session", async () => {
  const ink = await openInk(desk().ann, "ask");
  await ink.sees("● jira");
  expect((await ink.leave()).exit).toBe(0);
  expect(ink.raw().split(ASK_POSITION)).toHaveLength(2);
  expect(ink.terminal.isRead()).toBe(false);
});
