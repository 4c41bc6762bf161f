import { expect, test, vi } from "vitest";
import type { DeskLog } from "#test/desk";
import { openInk } from "#test/ink";
import { type Machine, useKay } from "#test/kay";
import { withDesk } from "#test/session";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

/** Creates a machine with open requests, one for each issue, oldest first. */
async function openRequests(...issues: string[]): Promise<{ ann: Machine; log: DeskLog }> {
  const log: DeskLog = [];
  const ann = kay({ signedIn: true, services: withDesk(log) });
  for (const [index, issue] of issues.entries()) {
    ann.place.clock.advance(1_000);
    await ann(["ask", "--background", `delete ${issue}`]);
    await expect.poll(async () => (await ann("pending")).stdout.split("\n").length - 1).toBe(index + 1);
  }
  return { ann, log };
}

test.for([
  ["inbox", /^[0-9a-f]{6}\tapproval\tDelete KAY-3 for good\t/],
  ["pending --watch", /^[0-9a-f]{6}\tapproval\tDelete KAY-3 for good\t/],
  ["inbox --json", /^\{"id":"int_\w+","kind":"approval",.*"answer":\["kay answer int_\w+ --approve/],
] as const)("kay %s in a pipe prints a line for each request, once, until it is stopped", async ([line, first]) => {
  const { ann } = await openRequests("KAY-3");
  const running = ann(line);
  await expect.poll(() => ann.raw().stdout).toMatch(first);
  ann.interrupt();
  expect((await running).exit).toBe(130);
  expect(ann.raw().stdout.trimEnd().split("\n")).toHaveLength(1);
});

test("kay inbox on a small terminal opens the newest request, answers it, and shows the rest", async () => {
  const { ann, log } = await openRequests("KAY-3", "KAY-4");
  const ink = await openInk(ann, "inbox", { columns: 40, rows: 12 });
  const list = await ink.sees("Delete KAY-3");
  expect(list.indexOf("KAY-4")).toBeLessThan(list.indexOf("KAY-3"));
  ink.type("\r");
  await ink.sees("n deny");
  await ink.press("1");
  await expect.poll(() => log).toEqual(["delete KAY-4"]);
  await ink.sees("Which request");
  ink.type("\x1b");
  expect((await ink.result).exit).toBe(0);
});

test("an empty inbox on a narrow terminal has one line, which is redrawn in its place", async () => {
  const ann = kay({ signedIn: true });
  const ink = await openInk(ann, "inbox", { columns: 40, rows: 12 });
  await ink.sees("No open requests. Waiting for one…");
  await expect.poll(() => ann.raw().both.split("No open requests.").length).toBeGreaterThan(3);
  expect((await ink.sees("No open requests.")).split("No open requests.")).toHaveLength(2);
  ann.interrupt();
  expect((await ink.result).exit).toBe(130);
});

test("kay inbox keeps the cursor on its request when a newer one arrives", async () => {
  const { ann, log } = await openRequests("KAY-3", "KAY-4");
  const ink = await openInk(ann, "inbox", { columns: 80, rows: 24 });
  await ink.sees(/❯ 1 {2}Delete KAY-4/);
  ink.type("\x1b[B");
  await ink.sees(/❯ 2 {2}Delete KAY-3/);
  ann.place.clock.advance(1_000);
  await ann(["ask", "--background", "delete KAY-5"]);
  await ink.sees(/1 {2}Delete KAY-5[\s\S]*❯ 3 {2}Delete KAY-3/);
  ink.type("\r");
  await ink.sees("n deny");
  await ink.press("1");
  await expect.poll(() => log).toEqual(["delete KAY-3"]);
  await ink.sees("Which request");
  ink.type("\x1b");
  expect((await ink.result).exit).toBe(0);
});

test.for([true, false])("kay inbox waits for a backend that restarts (terminal: %s)", async (terminal) => {
  const { ann } = await openRequests("KAY-3");
  let looks = 0;
  let isAway = true;
  ann.place.network.always("GET /pending", () => {
    if (++looks <= 2) return { json: { pending: [] } };
    return isAway ? { status: 503, text: "" } : "pass";
  });
  const ink = await openInk(ann, "inbox", { terminal });
  if (terminal) await ink.sees("The backend does not answer. Trying again");
  await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(8);
  isAway = false;
  await ink.sees("Delete KAY-3");
  ann.interrupt();
  expect((await ink.result).exit).toBe(130);
});
