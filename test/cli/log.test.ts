import { expect, test } from "vitest";
import { parseSince } from "#cli/commands/log/run";
import { type Machine, parseDocument, useKay } from "#test/kay";

const kay = useKay();
const COMMENT = ["tools", "call", "jira.add_comment", "--field", "issue=KAY-1", "--field"];

/** Creates a machine with writes, through a model and without one. */
async function makeChanges(): Promise<Machine> {
  const ann = kay({ signedIn: true });
  expect((await ann(["ask", "--allow", "jira.transition_issue", "close KAY-3"])).exit).toBe(0);
  for (const text of ["one", "two"]) {
    ann.place.clock.advance(1_000);
    expect((await ann([...COMMENT, `text=${text}`])).exit).toBe(0);
  }
  return ann;
}

type Write = Record<string, unknown>;

async function readLog(ann: Machine, flags = ""): Promise<{ writes: Write[]; has_more: boolean }> {
  return parseDocument(await ann(`log --json ${flags}`)) as { writes: Write[]; has_more: boolean };
}

test("kay log lists every write of every conversation, newest first, with who, where, link and prompt", async () => {
  const ann = await makeChanges();
  const { writes, has_more } = await readLog(ann);
  expect(has_more).toBe(false);
  expect(writes.map(({ tool, state }) => [tool, state])).toEqual([
    ["jira.add_comment", "done"],
    ["jira.add_comment", "done"],
    ["jira.transition_issue", "done"],
  ]);
  expect(writes[2]).toMatchObject({
    service: "jira",
    summary: expect.stringContaining("KAY-3"),
    url: expect.stringContaining("/browse/KAY-3"),
    account: "Dana Demo (kay-demo)",
    prompt: "close KAY-3",
    allowed_by: "jira.transition_issue",
    session_id: expect.any(String),
  });
  expect(writes[0]).not.toHaveProperty("prompt");
});

test("a page ends at --limit, and joined pages are the whole list without a gap", async () => {
  const ann = await makeChanges();
  const all = await readLog(ann);
  const first = await readLog(ann, "--limit 2");
  expect(first).toEqual({ writes: all.writes.slice(0, 2), has_more: true });
  expect(await readLog(ann, "--service Jira")).toEqual(all);
  expect(await readLog(ann, "--service slack")).toEqual({ writes: [], has_more: false });
  expect((await readLog(ann, "--since 2026-11-29")).writes).toEqual([]);
  expect((await readLog(ann, "--since 1w")).writes).toHaveLength(3);
});

test("a refused write, and one that was never sent, say so", async () => {
  const ann = kay({ signedIn: true });
  await ann(["tools", "call", "jira.transition_issue", "--field", "issue=KAY-1", "--field", "status=Nowhere"]);
  expect((await readLog(ann)).writes).toMatchObject([{ state: "not_sent" }]);
});

test("on a terminal each change is a block, in a pipe it is a row", async () => {
  const ann = kay({ signedIn: true });
  await ann([...COMMENT, "text=one"]);
  const { stdout } = await ann("log", { terminal: true, env: { NO_COLOR: "1" } });
  expect(stdout).toMatch(/^✓ done {2}.*KAY-1.*\n {2}2026-11-27 .* · jira as .* · kay tools call\n {2}http\S+\n$/);
  const row = (await ann("log")).stdout.trimEnd().split("\t");
  expect(row.slice(1, 3)).toEqual(["done", "jira"]);
});

test("an empty log, an invalid limit and an invalid time say so", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("log")).toEqual({ exit: 0, stdout: "", stderr: "No changes yet.\n" });
  expect((await ann("log --limit 0")).exit).toBe(2);
  expect((await ann("log --since yesterday")).exit).toBe(2);
});

test.for([
  ["2d", "2026-11-25T12:00:00.000Z"],
  ["90m", "2026-11-27T10:30:00.000Z"],
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000Z"],
  ["999999999w", "1926-09-13T12:00:00.000Z"],
])("--since %s begins at %s", ([text = "", time]) => {
  expect(parseSince(text, Date.UTC(2026, 10, 27, 12))).toBe(time);
});

test.for(["", "d", "2x", "2026-02-30", "2026-13-01", "tomorrow", "1e3d"])("--since %j is refused", (text) => {
  expect(() => parseSince(text, 0)).toThrow("Invalid time");
});
