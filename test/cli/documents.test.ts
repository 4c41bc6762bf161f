import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { JSON_DOCUMENTS } from "#cli/json-documents/table";
import type { Kay } from "#cli/kay";
import { buildProgram } from "#cli/program";
import { createPrograms } from "#host/programs";
import { listFaults } from "#test/json-schemas";
import { useKay } from "#test/kay";
import { TASKS, tasksService } from "#test/tasks-service";

const kay = useKay();
const starter = createPrograms(process.env, process);
const SERVER = [process.execPath, join(import.meta.dirname, "../support/changing-server.ts"), "/dev/null"];

/**
 * Every way to get a command's document, as short journeys of a user with Jira: the document, and the command line. A
 * word like `$.pending[0].id` refers to the previous document.
 */
const JOURNEYS: Record<string, [document: string, line: string[]][]> = {
  accounts: [
    ["connect", ["connect", "jira"]],
    ["connect", ["connect", "confluence", "bitbucket"]],
    ["connect", ["connect", "jira", "--no-wait"]],
    ["connections", ["connections"]],
    ["connections", ["connections", "--check", "confluence"]],
    ["whoami", ["whoami"]],
    ["disconnect", ["disconnect", "jira", "--yes"]],
    ["disconnect", ["disconnect", "confluence", "bitbucket", "--yes"]],
    ["logout", ["logout"]],
    ["logout", ["logout"]],
  ],
  tools: [
    ["tools list", ["tools", "list"]],
    ["tools show", ["tools", "show", "jira.create_issue"]],
    ["tools call", ["tools", "call", "jira.search", "--field", "project=KAY"]],
    ["failure", ["tools", "call", "slack.search_messages", "--field", "query=x"]],
    ["services", ["services"]],
    ["services list", ["services", "list"]],
    ["services show", ["services", "show", "jira"]],
  ],
  "what waits": [
    ["ask", ["ask", "create a task in KAY: Nought"]],
    ["pending", ["pending", "--link"]],
    ["pending", ["pending"]],
    ["answer", ["answer", "$.pending[0].id", "--approve", "--scope", "session"]],
    ["approvals test", ["approvals", "test", "jira.create_issue", '{"project": "KAY", "summary": "x"}']],
    ["approvals list", ["approvals", "list"]],
    ["approvals revoke", ["approvals", "revoke", "$.approvals[0].id", "--yes"]],
    ["policy set", ["policy", "set", "jira", "ask"]],
    ["policy get", ["policy", "get"]],
  ],
  confirmations: [
    ["ask", ["ask", "what is open in project KAY?"]],
    ["ask", ["ask", "--confirm", "create a task in KAY: One"]],
    ["confirm", ["confirm", "$.confirmation_token", "--approve"]],
    ["ask", ["ask", "--confirm", "create a task in KAY: Two"]],
    ["confirm", ["confirm", "$.confirmation_token", "--deny"]],
  ],
  streams: [
    ["ask", ["ask", "--background", "what is open in project KAY?"]],
    ["ask stream", ["ask", "--stream", "what is open in project KAY?"]],
    ["ask stream", ["ask", "--stream", "create a task in KAY: Three"]],
    ["attach", ["attach"]],
  ],
  conversations: [
    ["ask", ["ask", "what is open in project KAY?"]],
    ["log", ["log"]],
    ["open", ["open", "KAY-1"]],
    ["sessions list", ["sessions", "list"]],
    ["sessions show", ["sessions", "show", "latest"]],
    ["sessions rename", ["sessions", "rename", "latest", "Another"]],
    ["sessions export", ["sessions", "export", "another"]],
    ["sessions export", ["sessions", "export", "another", "--format", "md"]],
    ["sessions export", ["sessions", "export", "another", "-o", "out.md", "--format", "md"]],
    ["sessions delete", ["sessions", "delete", "another", "--yes"]],
  ],
  schedules: [
    ["every", ["every", "weekday", "9:00", "show KAY-1"]],
    ["every pause", ["every", "pause", "$.id"]],
    ["every resume", ["every", "resume", "$.id"]],
    ["every run", ["every", "run", "$.id"]],
    ["every list", ["every", "list"]],
    ["every remove", ["every", "remove", "$.schedules[0].id"]],
    ["every", ["every"]],
  ],
  settings: [
    ["config list", ["config", "list"]],
    ["config set", ["config", "set", "notify", "off"]],
    ["config get", ["config", "get", "model"]],
    ["config unset", ["config", "unset", "notify"]],
    ["config path", ["config", "path"]],
    ["model", ["model"]],
    ["model", ["model", "--test"]],
    ["model list", ["model", "list"]],
    ["doctor", ["doctor"]],
    ["profile create", ["profile", "create", "work"]],
    ["profile list", ["profile", "list"]],
    ["profile use", ["profile", "use", "work"]],
    ["profile remove", ["profile", "remove", "work", "--yes"]],
    ["completion", ["completion", "bash"]],
    ["help", ["help"]],
    ["help", ["help", "sessions", "list"]],
    ["help", ["help", "exit-codes"]],
  ],
  tokens: [
    ["token create", ["token", "create", "ci"]],
    ["token list", ["token", "list"]],
    ["token revoke", ["token", "revoke", "$.tokens[0].id", "--yes"]],
  ],
  "what the model gets": [
    ["alias set", ["alias", "set", "standup", "what did I do in $1?"]],
    ["alias list", ["alias", "list"]],
    ["context", ["context"]],
    ["context trust", ["context", "trust"]],
    ["context", ["context"]],
    ["context untrust", ["context", "untrust"]],
    ["alias remove", ["alias", "remove", "standup"]],
  ],
  "services of one's own": [
    ["services add", ["services", "add", "tasks.yaml", "--dry-run"]],
    ["services add", ["services", "add", "tasks.yaml", "--yes"]],
    ["services export", ["services", "export", "tasks"]],
    ["services remove", ["services", "remove", "tasks", "--yes"]],
  ],
  "an MCP server": [
    ["services add", ["services", "add", "--yes", "--env", "HOME", "--mcp", SERVER.join(" ")]],
    ["services approve", ["services", "approve", "notes"]],
    ["services list", ["services", "list", "--known"]],
    ["services client-document", ["services", "client-document", "https://ann.example.test/kay.json"]],
    ["services show", ["services", "show", "notes"]],
    ["services export", ["services", "export", "notes"]],
    ["tools call", ["tools", "call", "notes.write_note", "--field", "id=7"]],
  ],
};

/** Tested elsewhere: `kay try` and `kay serve` have separate backends. */
const ELSEWHERE = ["inbox", "mcp", "mcp authorize", "mcp list", "mcp remove", "serve", "try"];

test.for(Object.keys(JOURNEYS))(
  "%s: every document matches its schema, and has nothing that the schema does not name",
  { timeout: 90_000 },
  async (journey) => {
    const ann = kay({ signedIn: true, elsewhere: tasksService().fetch, model: { env: {} }, starter });
    writeFileSync(join(ann.folder, "tasks.yaml"), TASKS);
    if (journey === "what the model gets") writeFileSync(join(ann.folder, "KAY.md"), "Our project is KAY.");
    const wrong: string[] = [];
    let last: unknown;
    for (const [document, line] of JOURNEYS[journey] ?? []) {
      const words = line.map((word) => (word.startsWith("$.") ? String(getAt(last, word)) : word));
      const away = words.includes("--no-wait") ? { person: "stays away" as const } : {};
      const { stderr } = await ann([...words, "--json"], away);
      const { stdout } = ann.raw();
      const documents = isLines(document) ? stdout.trimEnd().split("\n").map(parseJson) : [parseJson(stdout)];
      last = documents[0];
      for (const value of documents) {
        const faults = await listFaults(document, value);
        if (faults.length > 0)
          wrong.push(`kay ${words.join(" ")}: ${faults.join("; ")} ${JSON.stringify(value)} ${stderr}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test("the tour's document matches its schema", { timeout: 60_000 }, async () => {
  const ann = kay({ own: true, person: "stays away" });
  await ann("try --json");
  expect(await listFaults("try", parseJson(ann.raw().stdout))).toEqual([]);
});

test.for([
  "alias list now",
  "alias remove standup",
  "alias set ask hello",
  "answer int_1 --approve",
  "approvals list",
  "approvals revoke grant_1",
  "approvals test slack.send_message []",
  "ask hello",
  "ask hello --stream",
  "ask --stream",
  "attach",
  "completion",
  "config get modle",
  "config list now",
  "config path now",
  "config set notify loud",
  "config unset modle",
  "confirm confirm_1",
  "connect pigeons",
  "connect jira --poll nothing",
  "connections --chek jira",
  "context now",
  "context trust",
  "context untrust",
  "disconnect jira",
  "doctor jira now",
  "every",
  "every list",
  "every soon x",
  "every pause abc",
  "every resume",
  "every remove abc",
  "every run abc",
  "help nothing",
  "help json nothing",
  "logout now",
  "model",
  "model list",
  "pending",
  "policy get",
  "policy set slack often",
  "profile create ../x",
  "profile list now",
  "profile remove work",
  "profile use work",
  "serve --port x",
  "services now",
  "services add nowhere.yaml",
  "services approve files",
  "services export tasks",
  "services list now",
  "services remove tasks --yes",
  "services show pigeons",
  "sessions delete latest",
  "sessions export latest --format pdf",
  "sessions list --page 0",
  "sessions rename latest x",
  "sessions show latest",
  "tools call jira.search",
  "tools call nothing.at_all",
  "tools list --service nothing",
  "tools show nothing.at_all",
  "try now",
  "whoami",
])("kay %s --json fails with one document that matches its schema", async (line) => {
  const ann = kay();
  const { exit } = await ann(`${line} --json`);
  const document = parseJson(ann.raw().stdout);
  const isLine = line.includes("--stream") || line === "attach";
  expect({ exit, faults: await listFaults(isLine ? "ask stream" : "failure", document) }).toEqual({
    exit: expect.toSatisfy((code) => code !== 0),
    faults: [],
  });
});

test("every command has a schema, every schema a command, and all are seen here", () => {
  const program = buildProgram({ version: "0" } as Kay, () => {});
  const commands = leaves(program);
  const documented = Object.keys(JSON_DOCUMENTS).filter((name) => !["ask stream", "failure"].includes(name));
  expect(documented.sort()).toEqual(commands.sort());
  const covered = new Set([
    ...Object.values(JOURNEYS).flatMap((lines) => lines.map(([document]) => document)),
    ...ELSEWHERE,
  ]);
  expect(Object.keys(JSON_DOCUMENTS).filter((name) => !covered.has(name))).toEqual([]);
});

/** Every command that does something, by its words. */
function leaves(command: Command, words: string[] = []): string[] {
  const below = command.commands.flatMap((child) => leaves(child, [...words, child.name()]));
  const acts = Reflect.get(command, "_actionHandler") !== null && words.length > 0;
  return acts ? [words.join(" "), ...below] : below;
}

function isLines(document: string): boolean {
  return document === "ask stream" || document === "attach";
}

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** `$.pending[0].id` of a document. */
function getAt(document: unknown, path: string): unknown {
  return [...path.matchAll(/\.(\w+)|\[(\d+)\]/g)].reduce<unknown>(
    (value, [, name, index]) => Reflect.get(Object(value), name ?? index ?? ""),
    document,
  );
}
