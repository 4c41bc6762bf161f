import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSettingKey } from "#client/settings/table";
import { type Example, findParseFault, formatExample, listExamples, listMentions } from "#test/examples";
import { type Machine, type MachineOptions, type RunSetting, useKay } from "#test/kay";
import { paste } from "#test/key-page";
import { notesServer } from "#test/mcp-server";
import { TASKS, TASKS_KEY, tasksService } from "#test/tasks-service";

const kay = useKay();
const EXAMPLES = listExamples();

test("every command in a sentence of the documents exists", async () => {
  const wrong = (await listFaults(listMentions())).filter(
    (fault) => !/argument(?:'.*')? missing|missing required/.test(fault),
  );
  expect(wrong).toEqual([]);
  const keys = listMentions().flatMap(({ words: [command, , key] }) => (command === "config" && key ? [key] : []));
  expect(keys.filter((key) => !isSettingKey(key))).toEqual([]);
});

test("N30 every example is a command line that kay accepts", async () => {
  expect(await listFaults(EXAMPLES)).toEqual([]);
  expect(EXAMPLES.length).toBeGreaterThan(90);
});

async function listFaults(examples: Example[]): Promise<string[]> {
  const faults = await Promise.all(examples.map(({ words }) => findParseFault(words)));
  return examples.flatMap((example, index) =>
    faults[index] ? [`${example.from}: ${formatExample(example)}: ${faults[index].message}`] : [],
  );
}

/** Examples that are not run here. */
const ELSEWHERE: [RegExp, string][] = [
  [
    /^kay(?: ask)?(?: -[cr]| --confirm| --resume latest)?$|^kay (?:attach|answer|every pause)$/,
    "They need a person at a terminal.",
  ],
  [/^kay try$/, "It starts a local backend; test/cli/own-backend.test.ts runs it."],
  [/^kay (?:inbox|pending --watch)/, "They run until they are stopped."],
  [/ linear$/, "They reach a server on the network."],
  [/^kay connect hubspot$/, "It needs a token of HubSpot; test/cli/own-addresses.test.ts runs it."],
  [/ -- npx | node \/home|list directory/, "They start a program that npm downloads or that the user has."],
  [/^kay config set atlassian\.client-secret$/, "It reads a secret; test/cli/config.test.ts runs it."],
  [
    /^kay mcp (?:authorize|list|remove)/,
    "They need a program that asks over HTTP; test/cli/mcp-endpoint.test.ts runs them.",
  ],
  [/^kay serve --sta?/, "They look for a process; test/cli/serve-status.test.ts and own-backend.test.ts run them."],
];

/** What an example needs, what its placeholders stand for, and how it ends. */
type Scene = {
  options?: MachineOptions;
  before?: (ann: Machine) => Promise<Record<string, string> | undefined>;
  exit?: number;
  setting?: RunSetting;
};

const SLACK: MachineOptions = { connected: ["jira", "slack"], providers: ["atlassian", "slack"] };
const GITHUB: MachineOptions = { connected: ["github"], providers: ["github"] };

/** A question that only a language model answers: the offline planner says so. */
const MODEL: Scene = { exit: 1 };

/** The user confirms on a terminal. */
const YES: Scene = { setting: { terminal: true, types: ["y", "y"] } };

const SCENES: [RegExp, Scene][] = [
  [/summarize these|compare these|what is wrong here|--output-schema/, MODEL],
  [/--confirm|^kay ask --json close/, { exit: 8 }],
  [
    /--continue|sessions (?:show|export|rename|delete) latest|attach --(?:json|read-only)/,
    { before: (ann) => run(ann, "ask", "what is open in project KAY?") },
  ],
  [/open latest/, { before: (ann) => run(ann, "ask", "--allow", "jira.transition_issue", "close KAY-3") }],
  [
    /open #general/,
    { options: SLACK, before: (ann) => run(ann, "ask", "--allow", "slack.send_message", "tell #general hello") },
  ],
  [/kay-docs#/, { options: GITHUB }],
  [/^kay (?:alias remove )?standup/, { before: (ann) => run(ann, "alias", "set", "standup", "what is open in KAY?") }],
  [/^kay triage/, { before: (ann) => run(ann, "alias", "set", "triage", "show $1") }],
  [/context (?:un)?trust/, { before: writeInstructions }],
  [
    /answer (?:ID|3f9a02) --(?:approve|deny)/,
    { before: async (ann) => nameAll(await open(ann, "close KAY-3"), "ID", "3f9a02") },
  ],
  [
    /answer ID --edit/,
    { options: SLACK, before: async (ann) => nameAll(await open(ann, "tell #general hello"), "ID") },
  ],
  [
    /answer (?:ID|71bc4e) --field/,
    { exit: 8, before: async (ann) => nameAll(await open(ann, "create an issue"), "ID", "71bc4e") },
  ],
  [/answer ID --decline/, { before: async (ann) => nameAll(await open(ann, "create an issue"), "ID", "71bc4e") }],
  [
    /answer (?:ID|int_1234)$/,
    {
      options: { ...SLACK, connected: ["jira"] },
      before: async (ann) => nameAll(await open(ann, "read #general"), "ID", "int_1234"),
      ...YES,
    },
  ],
  [/confirm /, { before: async (ann) => nameAll(await hold(ann), "TOKEN", "$token") }],
  [/every (?:pause|resume|run|remove) ID/, { before: addSchedule }],
  [/approvals revoke/, { before: approve, ...YES }],
  [/(?:in|set|disconnect) jira@work/, { before: (ann) => run(ann, "connect", "jira", "--as", "work"), ...YES }],
  [/--poll/, { before: begin }],
  [/--site NAME/, { options: { connected: [] }, before: async () => ({ NAME: "kay-demo" }) }],
  [/slack|#random|#general/, { options: SLACK }],
  [/profile (?:use|remove) work|--profile work/, { before: (ann) => run(ann, "profile", "create", "work"), ...YES }],
  [/services add/, YES],
  [/filesystem|approve example/, { before: addServer, ...YES }],
  [/connect tasks/, { before: (ann) => run(ann, "services", "add", "tasks.yaml", "--yes") }],
  [/Buy milk/, { before: addTasks, setting: { terminal: true, types: ["1"], env: { TERM: "dumb" } } }],
  [/tasks$/, { before: addTasks, ...YES }],
  [/disconnect jira/, YES],
  [/token revoke ci/, { before: (ann) => run(ann, "token", "create", "ci"), ...YES }],
];

test.for(
  EXAMPLES.map((example) => [formatExample(example), example] as const).filter(
    ([line]) => !ELSEWHERE.some(([lines]) => lines.test(line)),
  ),
)("%s", async ([line, example]) => {
  const { options, before, exit = 0, setting } = SCENES.find(([lines]) => lines.test(line))?.[1] ?? {};
  const ann = createMachine(options);
  const values: Record<string, string> = (await before?.(ann)) ?? {};
  const words = example.words.map((word) => values[word] ?? word.replace("…", "show KAY-1"));
  const { stdin = "" } = example;
  const person = line === "kay connect tasks" ? (url: string) => pasteKey(ann, url) : "allows";
  const result = await ann(words, { stdin: FILES[stdin] ?? stdin, person, ...setting });
  expect(result, JSON.stringify(result)).toMatchObject({ exit });
});

/** Files of the examples, and what the programs before a pipe print. */
const FILES: Record<string, string> = {
  "question.txt": "what is open in project KAY?",
  "notes.md": "# Notes\n",
  "plan.md": "# Plan\n",
  "screenshot.png": "\x89PNG\r\n\x1a\n",
  "ci.allow": "# Messages to #general\nslack.send_message:#general\n",
  "bugs.schema.json": JSON.stringify({ type: "array", items: { type: "string" } }),
  "tasks.yaml": TASKS,
  "the output of jq": JSON.stringify({ project: "KAY", summary: "Login loops" }),
};

const MCP = "https://mcp.example.com";

function createMachine(options: MachineOptions = { connected: ["jira"] }): Machine {
  const tasks = tasksService();
  const notes = notesServer();
  const elsewhere: MachineOptions["elsewhere"] = (url, init) =>
    url.startsWith(MCP) ? notes.fetch(new Request(url, init)) : tasks.fetch(url, init);
  const ann = kay({ elsewhere, ...options });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(ann.folder, name), text);
  return ann;
}

async function run(ann: Machine, ...words: string[]): Promise<undefined> {
  const result = await ann(words);
  expect(result, JSON.stringify(result)).toMatchObject({ exit: 0 });
}

async function readDocument<T>(ann: Machine, ...words: string[]): Promise<T> {
  await ann(words, { person: "stays away" });
  return JSON.parse(ann.raw().stdout) as T;
}

function nameAll(value: string, ...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

async function open(ann: Machine, request: string): Promise<string> {
  const { pending } = await readDocument<{ pending: { id: string }[] }>(ann, "ask", "--json", request);
  return pending[0]?.id ?? "";
}

async function hold(ann: Machine): Promise<string> {
  const confirmation = await readDocument<{ confirmation_token: string }>(
    ann,
    "ask",
    "--confirm",
    "--json",
    "close KAY-3",
  );
  return confirmation.confirmation_token;
}

async function begin(ann: Machine): Promise<Record<string, string>> {
  const begun = await readDocument<{ state: string; authorization_url: string }>(
    ann,
    "connect",
    "jira",
    "--no-wait",
    "--json",
  );
  await ann.place.consent(begun.authorization_url);
  return { STATE: begun.state };
}

async function approve(ann: Machine): Promise<Record<string, string>> {
  await run(ann, "answer", await open(ann, "close KAY-3"), "--approve", "--scope", "always");
  const { approvals } = await readDocument<{ approvals: { id: string }[] }>(ann, "approvals", "list", "--json");
  return { ID: approvals[0]?.id ?? "" };
}

async function addSchedule(ann: Machine): Promise<Record<string, string>> {
  const { id } = await readDocument<{ id: string }>(ann, "every", "1h", "show KAY-1", "--json");
  return { ID: id };
}

async function writeInstructions(ann: Machine): Promise<undefined> {
  writeFileSync(join(ann.folder, "KAY.md"), "Our project is KAY.");
}

async function addServer(ann: Machine): Promise<undefined> {
  for (const name of ["filesystem", "example"])
    await run(ann, "services", "add", "--yes", "--name", name, "--mcp", MCP);
}

const pasteKey = (ann: Machine, url: string) => paste(ann.place.backend, url, { secret: TASKS_KEY });

async function addTasks(ann: Machine): Promise<undefined> {
  await run(ann, "services", "add", "tasks.yaml", "--yes");
  expect(await ann(["connect", "tasks"], { person: (url) => pasteKey(ann, url) })).toMatchObject({ exit: 0 });
}
