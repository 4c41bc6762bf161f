import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { programAlone } from "#test/completion";
import { needs } from "#test/needs";
import { definitions, example, literal, prose } from "../../scripts/man/roff.ts";
import { manPages } from "../../scripts/man.ts";

const pages = () => manPages(programAlone(), "1.2.3");

test("kay and each command have a page, and package.json names them all", () => {
  const names = ["kay.1", ...programAlone().commands.map((command) => `kay-${command.name()}.1`)];
  expect(pages().map(([name]) => name)).toEqual(names);
  const { man } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { man: string[] };
  expect(man).toEqual(names.map((name) => `dist/man/man1/${name}`).sort());
});

test("two builds of one version are equal", () => {
  expect(pages()).toEqual(pages());
});

needs("mandoc")("every page is valid", () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-man-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = pages().map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return name;
  });
  // A page without a date is the same tomorrow.
  const lint = `mandoc -T lint -W warning ${files.join(" ")} | grep -v 'missing date' || true`;
  expect(execFileSync("sh", ["-c", lint], { cwd: folder, encoding: "utf8" })).toBe("");
});

needs("mandoc")("a page shows usage, options with what they do, examples as they are typed, and exit codes", () => {
  const getPage = (name: string) => {
    const [, text = ""] = pages().find(([page]) => page === name) ?? [];
    return execFileSync("sh", ["-c", "mandoc -T ascii -O width=100 | col -bx"], { input: text, encoding: "utf8" });
  };
  expect(getPage("kay-confirm.1")).toMatch(
    /SYNOPSIS\n +kay confirm \[options\] <token>\n[\s\S]*--approve\n +Approve and run the plan\n/,
  );
  expect(getPage("kay-tools.1")).toContain(`$ kay tools call jira.get_issue '{"issue": "KAY-1"}' --json\n`);
  expect(getPage("kay.1")).toMatch(
    /EXIT STATUS\n +0 +done\n[\s\S]*ENVIRONMENT\n +KAY_API_URL[\s\S]*FILES[\s\S]*EXAMPLES/,
  );
});

test("text that roff would interpret is escaped", () => {
  expect(literal(".kay 'a' \\n --json ~^ …")).toBe("\\&.kay \\(aqa\\(aq \\(rsn \\-\\-json \\(ti\\(ha \\[u2026]");
  expect(prose("see `kay -h` now")).toBe("see \\fBkay \\-h\\fR now");
  expect(example(["  .a", "", "    'b'"])).toBe(".PP\n.RS 4\n.nf\n\\&.a\n\\&\n  \\(aqb\\(aq\n.fi\n.RE");
});

test("a topic's terms stay with their descriptions, over several lines", () => {
  const topic = "\nTitle\n\n  A, B   one\n         two\n  LONG_NAME\n         three\n\nA paragraph\nof two lines.\n";
  expect(definitions(topic)).toBe(
    ".TP\n\\fBA, B\\fR\none two\n.TP\n\\fBLONG_NAME\\fR\nthree\n.PP\nA paragraph of two lines.",
  );
});
