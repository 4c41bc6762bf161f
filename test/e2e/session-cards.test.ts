import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "#test/built/processes";
import { closeCall, type SessionShell, useSessions } from "#test/built/sessions";

const { model, home, open, listMoves, sandbox } = useSessions();

/** A session at the approval of a change. */
async function openApproval(issue: string, size: { columns?: number; rows?: number } = {}): Promise<SessionShell> {
  const session = await open(size);
  model.script({ text: "I will close it.\n\n", calls: [closeCall(issue)] });
  session.type(`close ${issue}`);
  await session.sees(new RegExp(`> close ${issue}`));
  session.type("\r");
  await session.sees(/Approve/);
  return session;
}

/** How many rows the cursor went up, each time: never over the live region's first. */
function ups(session: SessionShell): number[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence
  return Array.from(session.bytes().matchAll(/\x1b\[(\d+)A/g), ([, rows]) => Number(rows));
}

const SIZES = [
  [80, 24],
  [40, 12],
  [200, 60],
] as const;

for (const [columns, rows] of SIZES) {
  test(`an approval at ${columns} × ${rows} fits the window, and a denial with a reason changes nothing`, async () => {
    const session = await openApproval("KAY-1", { columns, rows });
    await session.sees(/^┌ Approve ─ jira\.transiti.* left ┐$/m);
    expect(Math.max(0, ...ups(session))).toBeLessThan(rows - 2);
    await session.press("n", /Reason \(optional\):/);
    model.script({ text: "As you wish." });
    session.type("not now\r");
    await session.sees(/As you wish\./);
    await session.sees((screen) => !screen.includes("working"));
    const lines = session.screen().join("\n");
    expect(lines).toMatch(columns < 80 ? /^✗ \S+ denied by you /m : /^✗ \S+ denied by you \(not now\)/m);
    expect(lines).not.toContain("┌");
    expect(await listMoves(["KAY-1"])).toEqual([]);
  });
}

for (const [columns, rows] of SIZES) {
  test(`an edit of a long text at ${columns} × ${rows} shows first what changed, and then the whole request`, async () => {
    const replace = join(home().folder, `edit-${columns}`);
    writeFileSync(replace, '#!/bin/sh\nsed -i "s/line 30/line thirty/;s/line 60/line 60!/" "$1"\n', { mode: 0o755 });
    const session = await open({ columns, rows, env: { EDITOR: replace, VISUAL: replace } });
    const text = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join("\n");
    model.script({ calls: [["call-edit", "jira.add_comment", { issue: "KAY-1", text }]] });
    session.type("comment KAY-1");
    await session.sees(/> comment KAY-1/);
    session.type("\r");
    await session.sees(/Approve/);
    await session.press("e", /enter next/);
    session.type("\t");
    await session.sees(/^│ +line 60 +│$/m);
    session.type("\x07");
    await session.sees(/^│ +line 60! +│$/m);
    session.type("\r");
    await session.sees(/^│ - +line 30 +│\n│ \+ +line thirty +│$/m);
    expect(session.screen().join("\n")).toMatch(/unchanged lines/);
    let page = "";
    await session.sees((screen) => {
      if (/^│ +line 60! +│$/m.test(screen)) return true;
      const card = screen
        .split("\n")
        .filter((row) => row.startsWith("│"))
        .join("\n");
      if (card !== page) session.type("\x1b[6~");
      page = card;
      return false;
    });
  });
}

test("U13 an arrow key split over two reads does not cancel the approval; Escape alone does", async () => {
  const session = await openApproval("KAY-2");
  session.type("\x1b");
  await pause(30);
  session.type("[A");
  await pause(700);
  await session.sees(/Approve/);
  expect(session.screen().join("\n")).not.toContain("[A");
  await session.press("\x1b", /esc again: deny/);
  model.script({ text: "I left it." });
  session.type("\x1b");
  await session.sees(/I left it\./, 5_000);
  expect(await listMoves(["KAY-2"])).toEqual([]);
});

test("U23 Escape alone stops the turn while a tool runs; earlier changes stay", async () => {
  const session = await open();
  const fault = { match: { method: "POST", path: "*/search/jql" }, delay_ms: 20_000 };
  await fetch(`${sandbox().atlassian}/_sandbox/faults`, { method: "PUT", body: JSON.stringify(fault) });
  model.script(
    { calls: [["c1", "jira.list_projects", {}]] },
    { calls: [["c2", "jira.search", { jql: "project = KAY" }]] },
  );
  session.type("look\r");
  await session.sees(/jira\.search/);
  await pause(300);
  session.type("\x1b");
  await session.sees((screen) => !/esc to stop|cancelling/.test(screen) && /ancel/.test(screen), 5_000);
  expect(session.screen().join("\n")).toMatch(/⏺ jira\.list_projects/);
  model.script({ text: "Good." });
  session.type("go on\r");
  await session.sees(/Good\./);
});

test("kill -9 at an open approval: kay ask -c shows the same card, and its answer finishes the work once", {
  timeout: 40_000,
}, async () => {
  const first = await openApproval("KAY-5");
  process.kill(first.kay, "SIGKILL");
  await first.shows(/exit=137/);
  const secondSession = await open({ command: "kay ask -c" });
  await secondSession.sees(/Approve[\s\S]*Move KAY-5 to Done/);
  expect(secondSession.screen().join("\n")).toMatch(/> close KAY-5[\s\S]*I will close it\.[\s\S]*Approve/);
  expect(await listMoves(["KAY-5"])).toEqual([]);
  model.script({ text: "KAY-5 is done." });
  await secondSession.press("1", /KAY-5 is done\./);
  expect([await listMoves(["KAY-5"]), model.left()]).toEqual([["KAY-5"], 0]);
});

test("a second terminal sees the card and turns read-only when the first answers", { timeout: 40_000 }, async () => {
  const first = await openApproval("KAY-6");
  const second = await open({ command: "kay attach" });
  await second.sees(/Approve[\s\S]*Move KAY-6 to Done/);
  await first.sees(/with kay attach/);
  model.script({ text: "KAY-6 is done." });
  await first.press("1", /KAY-6 is done\./);
  await until(async () => (await listMoves(["KAY-6"])).length === 1, "nothing was done");
  await second.sees((screen) => /KAY-6 is done\./.test(screen) && !screen.includes("1 once"));
  second.type("\x04");
  expect(await second.exit()).toBe(0);
  await first.sees((screen) => !screen.includes("with kay attach"));
});
