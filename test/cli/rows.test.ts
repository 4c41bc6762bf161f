import { expect, test } from "vitest";
import { TOPICS } from "#cli/help/topics";
import { useKay } from "#test/kay";

const kay = useKay();

/** The columns that `kay help json` names, by command. */
function listColumns(command: string): string[] {
  const [, rows = ""] = /\nRows: ([\s\S]*)$/.exec(TOPICS.json ?? "") ?? [];
  const [, columns = ""] = new RegExp(`^  ${command}  +(.+)$`, "m").exec(rows) ?? [];
  return columns === "" ? [] : columns.split(", ");
}

test("in a pipe a table is rows with the columns that the help names, whatever a cell contains", async () => {
  const ann = kay({ signedIn: true });
  await ann(["ask", "--json", "create a task in KAY: One"]);
  await ann(["sessions", "rename", "latest", "A\tB\r\nC\u0085D"]);
  await ann("pending --json");
  const { pending } = JSON.parse(ann.raw().stdout);
  const wrong: unknown[] = [];
  const check = async (command: string) => {
    const { stdout } = await ann(command);
    const columns = listColumns(command);
    const lines = stdout.split("\n").slice(0, -1);
    const widths = lines.map((line) => line.split("\t").length);
    if (columns.length === 0 || lines.length === 0 || widths.some((width) => width !== columns.length))
      wrong.push({ command, columns, stdout });
  };
  for (const command of ["connections", "services", "whoami", "tools list", "config list", "model list"])
    await check(command);
  await check("pending");
  await check("sessions list");
  await ann(["answer", pending[0].id, "--approve", "--scope", "session"]);
  await check("approvals list");
  await ann("policy set jira ask");
  await check("policy get");
  expect(wrong).toEqual([]);
});

test("no cell breaks its row", async () => {
  const ann = kay({ signedIn: true });
  await ann(["ask", "what is open in project KAY?"]);
  await ann(["sessions", "rename", "latest", "A\tB\r\nC"]);
  expect((await ann("sessions list")).stdout).toMatch(/^[0-9a-f]{6}\tA B C\t[a-z ]*\t2026-11-27 12:\d\d UTC\n$/);
});
