import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { OTHER_WORDS } from "#cli/other-words";
import { programAlone } from "#test/completion";
import { listCommands } from "#test/examples";
import { useKay } from "#test/kay";

const kay = useKay();

const COMMANDS = [
  "alias",
  "answer",
  "ask",
  "attach",
  "completion",
  "config",
  "confirm",
  "connect",
  "connections",
  "context",
  "disconnect",
  "doctor",
  "every",
  "help",
  "inbox",
  "log",
  "logout",
  "mcp",
  "model",
  "open",
  "pending",
  "policy",
  "profile",
  "serve",
  "services",
  "sessions",
  "token",
  "tools",
  "try",
  "whoami",
];
const TOPICS = ["approvals", "environment", "exit-codes", "json", "session"];

/** Golden files are in `test/cli/help/`, one for each command and topic. */
const readGolden = (name: string) => readFile(new URL(`./help/${name}.txt`, import.meta.url), "utf8");

test.for(["kay --help", "kay help", "kay"])("%s shows every command", async (line) => {
  const stdout = await readGolden("kay");
  expect(await kay()(line.split(" ").slice(1))).toEqual({ exit: 0, stdout, stderr: "" });
});

test.for(COMMANDS)("help %s is the command's --help", async (name) => {
  const result = { exit: 0, stdout: await readGolden(name), stderr: "" };
  expect(await kay()(`help ${name}`)).toEqual(result);
  expect(await kay()(`${name} --help`)).toEqual(result);
});

test.for(TOPICS)("help %s fits the terminal's width with the same text", async (name) => {
  const words = (text: string) => text.split(/\s+/).filter(Boolean);
  const page = await kay()(`help ${name}`);
  for (const columns of [40, 80, 200]) {
    const { stdout } = await kay()(`help ${name}`, { terminal: true, columns, env: { NO_COLOR: "1" } });
    expect(words(stdout)).toEqual(words(page.stdout));
    const tooLong = stdout.split("\n").filter((row) => row.length > columns && !/`[^`]+`/.test(row));
    expect(tooLong).toEqual([]);
  }
});

test("a name and its description are side by side if there is room, otherwise one below the other", async () => {
  const helpAt = (columns: number) => kay()("help exit-codes", { terminal: true, columns, env: { NO_COLOR: "1" } });
  expect((await helpAt(60)).stdout).toContain(
    "\n  8     stopped at an open approval, form, confirmation or\n        request to connect\n",
  );
  const narrow = (await kay()("help environment", { terminal: true, columns: 40 })).stdout;
  expect(narrow).toContain("\n  KAY_CONFIG_DIR\n    folder for settings and encrypted\n    credentials\n");
});

test.for(TOPICS)("help %s is a topic", async (name) => {
  expect(await kay()(`help ${name}`)).toEqual({ exit: 0, stdout: await readGolden(name), stderr: "" });
});

test("config alone shows its help", async () => {
  expect(await kay()("config")).toEqual({ exit: 0, stdout: await readGolden("config"), stderr: "" });
});

test("no line of help is wider than 80 columns", async () => {
  for (const name of ["kay", ...COMMANDS])
    expect((await readGolden(name)).split("\n").filter((line) => line.length > 80)).toEqual([]);
});

const ACCOUNTS = "Run `kay connect` to sign in, `kay connections` to see your accounts, or `kay logout` to sign out.";

test("N37 every command that a hint names exists", () => {
  for (const hint of Object.values(OTHER_WORDS))
    for (const [, name = ""] of hint.matchAll(/`kay (\S+?)[ `]/g)) expect(COMMANDS).toContain(name);
  for (const word of Object.keys(OTHER_WORDS)) expect(COMMANDS).not.toContain(word);
});

test.for([
  ["help conect", 'Unknown command or topic "conect".', "Did you mean `kay help connect`?"],
  ["help nothing", 'Unknown command or topic "nothing".', "Run `kay help` to list commands and topics."],
  ["conect jira", "Unknown command 'conect'.", "Did you mean connect?"],
  ["frobnicate", "Unknown command 'frobnicate'.", "Run `kay help`. To ask it, run `kay ask frobnicate`."],
  ["config frobnicate", "Unknown command 'frobnicate'.", "Run `kay help config`."],
  ["auth login", "Unknown command 'auth'.", ACCOUNTS],
  ["signin", "Unknown command 'signin'.", ACCOUNTS],
  ["logs", "Unknown command 'logs'.", "Run `kay doctor` to check your setup, or `kay log` for what kay changed."],
  ["chat hello", "Unknown command 'chat'.", "Run `kay ask` to start a session or ask a question."],
  ["config lst", "Unknown command 'lst'.", "Did you mean list?"],
  ["connections --chek jira", "Unknown option '--chek'.", "Did you mean --check?"],
  ["connections jira", "Unexpected argument 'jira'.", "Run `kay help connections`."],
  ["config get model gpt", "Unexpected argument 'gpt'.", "Run `kay help config`."],
  ["model use gpt", "Unknown command 'use'.", "Run `kay config set model <provider>:<model>` to choose a model."],
  ["model lst", "Unknown command 'lst'.", "Did you mean list?"],
  [
    "--color sometimes whoami",
    "Option '--color <when>' argument 'sometimes' is invalid. Allowed choices are auto, always, never.",
    "Run `kay help whoami`.",
  ],
  ["serve --port x", '"x" is not a valid port.', "Use a number from 0 to 65535."],
  ["serve --port 65536", '"65536" is not a valid port.', "Use a number from 0 to 65535."],
])("%s is a usage error", async ([line = "", sentence, hint]) => {
  expect(await kay()(line)).toEqual({ exit: 2, stdout: "", stderr: `✗ ${sentence}\n  ${hint}\n` });
});

test("--version prints the version", async () => {
  for (const line of ["--version", "-V", "version", "--profile work version"])
    expect(await kay()(line)).toEqual({ exit: 0, stdout: "0.0.0-test\n", stderr: "" });
});

test("S14 --version and --help need no home folder", async () => {
  const ann = kay({
    env: { XDG_CONFIG_HOME: "", XDG_STATE_HOME: "", XDG_DATA_HOME: "", KAY_API_URL: "" },
    home: undefined,
  });
  for (const line of ["--version", "--help", "help json"])
    expect(await ann(line)).toMatchObject({ exit: 0, stderr: "" });
});

test("serve passes its options to the backend", async () => {
  const ann = kay();
  await ann(
    "serve --port 0 --host 127.0.0.2 --seed world.yaml --data-dir /tmp/x --public-url https://kay.example.test --role agent",
  );
  await ann("serve");
  expect(ann.served).toEqual([
    {
      port: 0,
      host: "127.0.0.2",
      sandbox: true,
      seed: "world.yaml",
      dataDir: "/tmp/x",
      publicUrl: "https://kay.example.test",
      role: "agent",
      embedded: false,
    },
    { port: 4000, host: "127.0.0.1", sandbox: false, embedded: false },
  ]);
});

test("every command has examples; a subcommand has its own, or those of its group that name it", async () => {
  const { stdout } = await kay()("sessions export --help");
  expect(stdout).toContain("\nExamples:\n  $ kay sessions export latest -o bugs.md\n\n");
  const without = listCommands(programAlone()).filter(
    ({ help }) => !help.includes("  $ kay ") && !help.includes("kay ask"),
  );
  expect(without.map(({ name }) => name)).toEqual([]);
});
