import { expect, test } from "vitest";
import { completeCommandLine } from "#cli/other-words";
import { COMMAND_NAMES } from "#cli/program";
import { useKay } from "#test/kay";
import { read, typeLines } from "#test/session";

const kay = useKay();

test.for<[typed: string[], argv: string[], canOpenSession?: boolean]>([
  [
    ["login", "jira"],
    ["connect", "jira"],
  ],
  [
    ["--profile", "work", "login"],
    ["--profile", "work", "connect"],
  ],
  [["version"], ["--version"]],
  [
    ["version", "--json"],
    ["--version", "--json"],
  ],
  [
    ["version", "two"],
    ["version", "two"],
  ],
  [["what is open in KAY?"], ["ask", "what is open in KAY?"]],
  [
    ["--json", "--profile", "work", "what is open?"],
    ["ask", "--json", "--profile", "work", "what is open?"],
  ],
  [["connect the dots, please"], ["ask", "connect the dots, please"]],
  [["- what is open"], ["ask", "- what is open"]],
  [["conect jira"], ["ask", "conect jira"]],
  [["ask\nx"], ["ask\nx"]],
  [[" ask "], [" ask "]],
  [["frobnicate"], ["frobnicate"]],
  [
    ["conect", "jira"],
    ["conect", "jira"],
  ],
  [
    ["ask", "version"],
    ["ask", "version"],
  ],
  [
    ["ask", "login"],
    ["ask", "login"],
  ],
  [[], [], false],
  [[], ["ask"], true],
  [["--profile", "work"], ["ask", "--profile", "work"], true],
  [["--help"], ["--help"], true],
  [["-V"], ["-V"], true],
  [["help"], ["help"], true],
])("N38 %j is %j", ([words, argv, canOpenSession = false]) => {
  expect(completeCommandLine(words, COMMAND_NAMES, canOpenSession)).toEqual(argv);
});

test("N37 login connects, and without a name it lists the services", async () => {
  expect(await kay()("login jira")).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Connected jira as /) });
  expect(await kay()("login")).toMatchObject({ exit: 2, stderr: expect.stringContaining("jira, confluence, ") });
});

test("N38 a question needs no `ask`", async () => {
  const { exit, stdout } = await kay({ signedIn: true })(["show KAY-3"]);
  expect([exit, stdout]).toEqual([0, expect.stringContaining("KAY-3")]);
});

test("N38 kay alone is a session on a terminal, and help in a pipe", async () => {
  const ann = kay({ signedIn: true });
  expect((await ann([], typeLines(["/quit"]))).exit).toBe(0);
  expect(read(ann)).toContain("> /quit\n");
  expect((await ann([])).stdout).toMatch(/^Usage: kay /);
});
