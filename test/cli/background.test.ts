import { expect, test, vi } from "vitest";
import { openInk } from "#test/ink";
import { parseDocument, useKay } from "#test/kay";
import { openDesk } from "#test/session";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

const desk = () => openDesk(kay);

test("kay ask --background prints the conversation at once, and its questions wait for kay answer", async () => {
  const { ann, log } = desk();
  const result = await ann(["ask", "--background", "delete KAY-3"]);
  expect(result).toEqual({
    exit: 0,
    stdout: "session_…\n",
    stderr: expect.stringMatching(
      /^Running in the background\. Follow it with `kay attach [0-9a-f]{6}`; `kay pending`/,
    ),
  });
  const session = ann.raw().stdout.trim();
  await expect.poll(async () => (await ann("pending")).stdout).toContain("Delete KAY-3 for good");
  await ann("pending --json");
  const { pending } = JSON.parse(ann.raw().stdout) as { pending: { id: string; session_id: string }[] };
  expect(pending[0]?.session_id).toBe(session);
  expect((await ann(["answer", pending[0]?.id ?? "", "--approve"])).exit).toBe(0);
  expect(log).toEqual(["delete KAY-3"]);
  expect((await ann(["attach", session])).stdout).toContain("KAY-3 is deleted.");
});

test("--json says what is running and how to follow it", async () => {
  const { ann } = desk();
  const document = parseDocument(await ann(["ask", "--background", "--json", "show KAY-3"]));
  expect(document).toMatchObject({ status: "running", generation_id: expect.stringMatching(/^gen_/) });
  expect(document).toMatchObject({ follow: `kay attach ${(document as { session_id: string }).session_id}` });
});

test.for(["--confirm", "--stream --json", "-o out.md"])("--background cannot be combined with %s", async (flags) => {
  const { exit, stderr } = await desk().ann(`ask --background ${flags} x`);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("--background cannot be combined")]);
});

test("/detach leaves a session with its request running, and says how to return", async () => {
  const { ann, log } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("delete KAY-3");
  await ink.sees("1 once");
  ink.enter("/detach");
  expect((await ink.result).exit).toBe(0);
  expect(await ink.all()).toMatch(/It is still running\. Come back with\s`kay attach [0-9a-f]{6}`\./);
  const again = await openInk(ann, "attach");
  await again.sees("1 once");
  await again.press("1");
  await again.shows("KAY-3 is deleted.");
  await again.leave();
  expect(log).toEqual(["delete KAY-3"]);
});

test("/detach stays if nothing is running", async () => {
  const { ann } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("/detach");
  await ink.shows("Nothing is running. Use /quit to leave.");
  await ink.leave();
});
