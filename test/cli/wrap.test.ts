import { expect, test } from "vitest";
import { wrapSentences } from "#cli/output/wrap";
import { useKay } from "#test/kay";

const kay = useKay();

test("an error is wrapped between words on a terminal, beside its mark, with commands whole", async () => {
  const run = (columns: number) => kay()("connect jra", { terminal: true, columns, env: { NO_COLOR: "1" } });
  expect((await run(40)).stderr).toBe(`✗ Unknown service "jra". Did you mean
  jira? The services are jira,
  confluence, bitbucket, slack, github,
  gmail, google-calendar, google-docs,
  google-sheets, google-drive, notion,
  airtable, hubspot, linkedin, kyg.
  Run \`kay connections\` to see every
  service.
`);
  expect((await run(80)).stderr).toBe(`✗ Unknown service "jra". Did you mean jira? The services are jira, confluence,
  bitbucket, slack, github, gmail, google-calendar, google-docs, google-sheets,
  google-drive, notion, airtable, hubspot, linkedin, kyg.
  Run \`kay connections\` to see every service.
`);
});

test("a question and the rows of a table are wrapped between words too, and a long address is not broken", async () => {
  const ann = kay({ signedIn: true });
  await ann(["ask", "what is open in project KAY?"]);
  await ann(["sessions", "rename", "latest", "All that is open in the project KAY"]);
  const look = async (line: string, input = "") =>
    await ann(line, { terminal: true, columns: 40, env: { NO_COLOR: "1" }, types: input === "" ? [] : [input] });
  expect((await look("sessions list")).stdout).toMatch(
    /^[0-9a-f]{6} {2}All that is open in {4}completed\n {8}the project KAY\n/m,
  );
  expect((await look("sessions delete latest", "n")).stderr).toMatch(
    /^Permanently delete “All that is open in\nthe project KAY” \([0-9a-f]{6}\)\? \[y\/N\] /,
  );
});

test("in a pipe nothing is wrapped, however narrow the terminal", async () => {
  const { stderr } = await kay()("connect jra", { terminal: ["stdin", "stdout"], columns: 40 });
  expect(stderr.trimEnd().split("\n")).toHaveLength(2);
});

test.each([
  [
    "a web address that is too long has a line of its own",
    "See https://example.com/a/very/long/path?of=it now.",
    24,
    ["See", "https://example.com/a/very/long/path?of=it", "now."],
  ],
  [
    "so does a command",
    "  Run `kay connect jira confluence bitbucket`, then ask again.",
    24,
    ["  Run", "  `kay connect jira confluence bitbucket`,", "  then ask again."],
  ],
  ["an indentation is kept", "    one two three four", 10, ["    one two", "    three", "    four"]],
  ["wide characters count for two", "日本語 日本語 日本語", 14, ["日本語 日本語", "日本語"]],
  ["what fits stays as it is", "a  b   c", 8, ["a  b   c"]],
  ["each line is wrapped by itself", "one two three\nfour five six", 10, ["one two", "three", "four five", "six"]],
  [
    "a word that is wider than the terminal is not broken",
    "incomprehensibilities all",
    10,
    ["incomprehensibilities", "all"],
  ],
])("%s", (_, text, width, lines) => {
  expect(wrapSentences(text, width).split("\n")).toEqual(lines);
});

test("colors end and restart around a break", () => {
  expect(wrapSentences("\u001b[31m✗\u001b[39m one two three", 9)).toBe("\u001b[31m✗\u001b[39m one two\n  three");
});
