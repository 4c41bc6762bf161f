import { expect, test } from "vitest";
import { until } from "#test/built/processes";
import { closeCall, type SessionShell, useSessions } from "#test/built/sessions";

const { model, open, listMoves } = useSessions();

/** Requests several changes of one step, and waits for their plan. */
async function openPlan(issues: string[], opening: Parameters<typeof open>[0] = {}): Promise<SessionShell> {
  const session = await open(opening);
  model.script({ calls: issues.map(closeCall) });
  session.type(`close ${issues.length}`);
  await session.sees(new RegExp(`> close ${issues.length}`));
  session.type("\r");
  await session.sees(new RegExp(`Approve ─ ${issues.length} changes`));
  return session;
}

/** Scrolls a plan to its end, page by page. */
async function readAll(session: SessionShell): Promise<void> {
  const hasMore = () => /↓ \d+ more lines below/.test(session.screen().join("\n"));
  for (let page = 0; page < 20 && hasMore(); page++) {
    const oldScreen = session.screen().join("\n");
    await session.press("\x1b[6~", /./);
    await session.sees((screen) => screen !== oldScreen);
  }
}

test("kay ask --confirm opens plan mode: three changes are one plan, and one key runs exactly these", {
  timeout: 60_000,
}, async () => {
  const issues = ["KAY-1", "KAY-11", "KAY-12"];
  const session = await openPlan(issues, { command: "kay ask --confirm" });
  const screen = session.screen().join("\n");
  expect(screen).toContain("plan mode");
  expect(screen).toMatch(/1 of 3 ─ jira\.transition_issue ─ writes[\s\S]*Move KAY-1 to Done[\s\S]*issue: KAY-1/);
  await readAll(session);
  await session.sees(/3 of 3 ─ jira\.transition_issue ─ writes[\s\S]*Move KAY-12 to Done[\s\S]*issue: KAY-12/);
  expect(await listMoves(issues)).toEqual([]);
  model.script({ text: "All three are done." });
  await session.press("a", /All three are done\./);
  expect(await listMoves(issues)).toEqual(issues);
});

test("in 40 × 12 a plan is approved only after it was read to its end", { timeout: 60_000 }, async () => {
  const issues = ["KAY-4", "KAY-5"];
  const session = await openPlan(issues, { columns: 40, rows: 12 });
  await session.press("a", /Scroll to the end/);
  expect(await listMoves(issues)).toEqual([]);
  await readAll(session);
  await session.sees(/issue: KAY-5/);
  model.script({ text: "Both are done." });
  await session.press("a", /Both are done\./);
  expect(await listMoves(issues)).toEqual(issues);
});

test("kill -9 in the middle: the rest waits, is shown again, and one of it is denied", {
  timeout: 90_000,
}, async () => {
  const issues = ["KAY-6", "KAY-7", "KAY-8"];
  const session = await openPlan(issues);
  await session.press("\t", /1 of 3[\s\S]*1 once/);
  await session.press("1", /2 of 3|1 of 2/);
  await until(async () => (await listMoves(issues)).length === 1, "KAY-6 was not moved");
  process.kill(session.kay, "SIGKILL");
  await session.shows(/exit=137/);
  const secondSession = await open({ command: "kay ask -c" });
  await secondSession.sees(/Approve ─ 2 changes[\s\S]*KAY-7[\s\S]*KAY-8/);
  expect(await listMoves(issues)).toEqual(["KAY-6"]);
  await secondSession.press("\t", /1 of 2[\s\S]*1 once/);
  await secondSession.press("n", /Reason \(optional\)/);
  secondSession.type("not this\r");
  await secondSession.sees(/Approve ─ jira\.transition_issue[\s\S]*KAY-8/);
  model.script({ text: "Two of three are done." });
  await secondSession.press("1", /Two of three are done\./);
  expect(await listMoves(issues)).toEqual(["KAY-6", "KAY-8"]);
});

test("/plan turns plan mode on and off, and the status line shows it", { timeout: 60_000 }, async () => {
  const session = await open();
  session.type("/plan\r");
  await session.sees(/Plan mode is on/);
  await session.sees(/^plan mode · /m);
  session.type("/plan\r");
  await session.sees(/Plan mode is off/);
  await session.sees((screen) => !/^plan mode · /m.test(screen));
});
