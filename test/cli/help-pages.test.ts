import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { findHelpPage } from "#cli/help/find-page";
import { fitHelpPage } from "#cli/help/narrow";
import { formatHelpPage } from "#cli/help/page";
import { buildHelpTable } from "#cli/help/pages";
import type { Kay } from "#cli/kay";
import { buildProgram } from "#cli/program";

const WIDTHS = [20, 40, 53, 80, 100];

/** The tree at this width, and what it prints. */
function programAt(columns: number) {
  let printed = "";
  const stream = { write: () => {}, columns: () => columns };
  const kay = { version: "0.0.0-test", terminal: { stdout: stream, stderr: stream } } as unknown as Kay;
  const program = buildProgram(
    kay,
    () => {},
    (text) => {
      printed += text;
    },
  );
  const printHelp = (command: Command) => {
    printed = "";
    command.outputHelp();
    return printed;
  };
  return { program, shown: printHelp };
}

function findCommand(from: Command, words: string[]): Command {
  const [word, ...rest] = words;
  const child = from.commands.find(
    (candidate) => candidate.name() === word || candidate.aliases().includes(word ?? ""),
  );
  return child ? findCommand(child, rest) : from;
}

const TABLE = buildHelpTable(programAt(80).program, ["approvals", "json"]);

test.for(WIDTHS)("every page equals the output of the command tree, %i columns wide", (width) => {
  const { program, shown } = programAt(width);
  for (const [line, index] of Object.entries(TABLE.lines)) {
    const page = TABLE.pages[index];
    const words = line.split(" ").filter((word) => word !== "--help");
    const target = findCommand(program, words[0] === "help" && line !== "help --help" ? words.slice(1) : words);
    expect(page && formatHelpPage(page, width), line).toBe(shown(target));
  }
});

test.for(TABLE.pages)("N57 at 40 columns the help of `$usage` has every word whole", (page) => {
  const [narrow, wide] = [40, 100].map((width) => fitHelpPage(formatHelpPage(page, width), width));
  const rows = narrow?.split("\n") ?? [];
  expect(rows.filter((row) => row.length > 40)).toEqual([]);
  const words = (text = "") => text.split(/[\s\\#]+/).sort();
  expect(words(narrow)).toEqual(words(wide));
});

test("a long example continues on further lines, below its comment, and descriptions go below their terms", () => {
  const page = `Usage: kay ask [options]

Options:
  -c, --continue  Continue the newest conversation

Examples:
  $ kay ask
  $ kay ask --allow slack.send_message:#ci "tell #ci 'it is green' again"  # in a job that may write
  $ kay approvals test slack.send_message '{"channel": "#general"}'`;
  expect(fitHelpPage(page, 40)).toBe(`Usage: kay ask [options]

Options:
  -c, --continue
      Continue the newest conversation

Examples:
  $ kay ask
  # in a job that may write
  $ kay ask --allow \\
    slack.send_message:#ci "tell #ci \\
    'it is green' again"
  $ kay approvals test \\
    slack.send_message '{"channel":
    "#general"}'`);
});

test("every command has its lines, including aliases, and a topic is not a page", () => {
  const { lines } = TABLE;
  expect([lines[""], lines.help, lines["--help"]]).toEqual([0, 0, 0]);
  expect(lines["status --help"]).toBe(lines["help connections"]);
  expect(lines["config set --help"]).toBe(lines["help config set"]);
  expect(lines["approvals --help"]).toBeGreaterThan(0);
  expect([lines["help approvals"], lines["help json"]]).toEqual([undefined, undefined]);
});

test("only a plain help request is answered without the tree", () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-help-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const table = join(folder, "help.json");
  writeFileSync(table, JSON.stringify(TABLE));
  const { program, shown } = programAt(100);
  const quick = (...args: string[]) => findHelpPage(args, table, () => 240);
  expect(quick()).toBe(shown(program));
  expect(quick("connect", "-h")).toBe(shown(findCommand(program, ["connect"])));
  for (const args of [
    ["conect", "--help"],
    ["help", "approvals"],
    ["help connect"],
    ["--json", "--help"],
    ["toString"],
  ])
    expect(quick(...args)).toBeNull();
});
