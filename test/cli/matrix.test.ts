import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { programAlone } from "#test/completion";
import { type Machine, parseDocument, type Result, useKay } from "#test/kay";
import { type Ready, ROWS, type Row } from "#test/matrix/rows";
import { SITUATIONS, type Situation } from "#test/matrix/situations";
import { TASKS, tasksService } from "#test/tasks-service";

const kay = useKay();
/** Time limit of a command in ms; the simulated time does not pass here. */
const HANGS_MS = 8_000;

/** Every command by its words, groups too, in the order of the tree; "" is kay alone. */
function listNames(command: Command, words: string[] = []): string[] {
  return [words.join(" "), ...command.commands.flatMap((child) => listNames(child, [...words, child.name()]))];
}

test("every command has a row", () => {
  expect(listNames(programAlone())).toEqual(Object.keys(ROWS));
});

for (const json of [false, true])
  test.for(SITUATIONS)(
    `every command $title ${json ? "with --json " : ""}has the exit code of the table and the expected output`,
    { timeout: 120_000 },
    async (situation) => {
      const { ann, ready } = await machineIn(situation);
      const signIn = await ann.stored();
      const exits: Record<string, unknown> = {};
      const faults: string[] = [];
      // The sign-in ends last because the others need it.
      const rows = Object.entries(ROWS)
        .filter(([, { own }]) => !own)
        .sort(([a], [b]) => Number(a === "logout") - Number(b === "logout"));
      for (const [name, row] of rows) {
        const words = listWords(name, row, { situation, ready, json });
        if (situation.signIn) await ann.store(signIn);
        const result = await Promise.race([ann(words, structuredClone(situation.setting)), afterMs(HANGS_MS)]);
        exits[name] = result === "hangs" ? result : result.exit;
        if (result === "hangs") ann.interrupt();
        else faults.push(...listFaults(name, row, { result, json, raw: ann.raw(), situation }));
      }
      const expected = rows.map(([name, row]) => [name, findExpectedExit(row, situation, json)]);
      expect({ exits, faults }).toEqual({ exits: Object.fromEntries(expected), faults: [] });
    },
  );

test.for([
  ["in a pipe", undefined, 0],
  ["where its backend fails", SITUATIONS.find(({ exits }) => exits.backend === 1)?.network, 1],
  ["where its backend is lost", "refused", 6],
] as const)(
  "the tour %s has the exit code of the table, and is one document with --json",
  { timeout: 60_000 },
  async ([, network, exit]) => {
    for (const flags of [[], ["--json"]]) {
      const ownMachine = kay({ own: true, person: "stays away" });
      if (network) ownMachine.place.network.always("", network);
      const result = await ownMachine(["try", ...flags]);
      expect(result.exit).toBe(exit);
      if (flags.length > 0)
        expect(parseDocument(result)).toMatchObject(exit === 0 ? { completed: true } : { status: "error" });
      else expect(result.stderr.includes("✗")).toBe(exit !== 0);
    }
  },
);

/** A machine with something for every command, in this situation. */
async function machineIn({ network, signIn }: Situation): Promise<{ ann: Machine; ready: Ready }> {
  const ann = kay({ signedIn: true, mcp: true, elsewhere: tasksService().fetch });
  const ready = await prepare(ann);
  if (signIn === "none") await ann.store({});
  if (signIn === "revoked") await revoke(ann);
  if (network) ann.place.network.always("", network);
  return { ann, ready };
}

async function prepare(ann: Machine): Promise<Ready> {
  const runJson = async (line: string) => {
    await ann(line);
    return JSON.parse(ann.raw().stdout);
  };
  writeFileSync(join(ann.folder, "tasks.yaml"), TASKS);
  writeFileSync(
    join(ann.folder, "others.yaml"),
    TASKS.replace("name: tasks", "name: others").replaceAll("tasks.", "others."),
  );
  await ann("services add tasks.yaml --yes");
  await ann("profile create spare");
  await ann("policy set jira ask");
  const confirmation = await runJson('ask --json "close KAY-4"');
  await ann("policy set jira unset");
  const confirming = await runJson('ask --confirm --json "close KAY-3"');
  const conversation = await runJson('ask --json "show KAY-1"');
  return {
    conversation: conversation.session_id,
    interaction: confirmation.pending[0].id,
    token: confirming.confirmation_token,
  };
}

/** The backend ends the sign-in, and this machine does not know. */
async function revoke(ann: Machine): Promise<void> {
  const signIn = await ann.stored();
  await ann("logout");
  await ann.store(signIn);
}

type Called = { situation: Situation; ready: Ready; json: boolean };

function listWords(name: string, row: Row, { situation, ready, json }: Called): string[] {
  const words = name.split(" ").filter(Boolean);
  const onTerminal = situation.setting?.terminal === true && !json ? (row.onTerminal ?? []) : [];
  return [
    ...words,
    ...(row.args?.(ready) ?? []),
    ...onTerminal,
    ...(situation.flags ?? []),
    ...(json ? ["--json"] : []),
  ];
}

function findExpectedExit(
  { needs, asks, writes, lists, exit }: Row,
  { exits, asked, lost, network, signIn }: Situation,
  json: boolean,
): number {
  const isWell = !network && !signIn;
  if (lists && signIn === "none") return 0;
  if (asks && needs === "nothing") return isWell ? asked : 2;
  const isAsked = asks && (signIn !== "none" || needs === "sign-in");
  const code = writes && lost !== undefined ? lost : isAsked ? asked : asks ? 2 : exits[needs];
  return (isWell || needs === "nothing") && exit ? exit[json ? "json" : "plain"] : code;
}

type Ran = { result: Result; json: boolean; raw: { stdout: string; stderr: string }; situation: Situation };

/** Returns what is wrong with a command's output, each with its name. */
function listFaults(name: string, row: Row, ran: Ran): string[] {
  const { result, json, raw } = ran;
  const faults = [
    ...(["stdout", "stderr"] as const).map((stream) =>
      isPlain(ran.situation, stream) && raw[stream].includes("\u001b") ? `colour on ${stream}` : "",
    ),
    json ? findJsonFault(row, result) : findPlainFault(row, result),
  ];
  return faults.filter(Boolean).map((fault) => `kay ${name}: ${fault} in ${JSON.stringify(result)}`);
}

function findJsonFault(row: Row, result: Result): string {
  const failed = result.exit !== 0;
  if (row.json === "nothing") return result.stdout ? "a document" : "";
  if (row.json === "lines" && !failed) return isLines(result.stdout) ? "" : "no lines of JSON";
  let document: Record<string, unknown>;
  try {
    document = (row.json === "lines" ? JSON.parse(result.stdout) : parseDocument(result)) as Record<string, unknown>;
  } catch (error) {
    return `not one document (${error})`;
  }
  const { status, code, error, message, hint } = document;
  if (!failed) return status === "error" ? "an error with exit 0" : "";
  const service = row.integration && typeof error === "object" ? (error as { code?: unknown }).code : error;
  const isWhole =
    status === "error" && code === service && typeof code === "string" && message && typeof hint === "string";
  if (!isWhole) return "a failure without status, code, message and hint";
  return unwrap(result.stderr).includes(unwrap(String(message))) ? "" : "no sentence on stderr";
}

function isPlain({ setting }: Situation, stream: "stdout" | "stderr"): boolean {
  return setting?.terminal === undefined || (Array.isArray(setting.terminal) && !setting.terminal.includes(stream));
}

/** A message is wrapped for its terminal. */
function unwrap(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

function findPlainFault(row: Row, { exit, stdout, stderr }: Result): string {
  if (exit === 0) return stderr.includes("✗") ? "an error with exit 0" : "";
  // The user who denied it needs no advice.
  if (exit === 5 && /^✗ (Nothing|No service) was .+\n$/m.test(stderr)) return "";
  if (!/^✗ .+\n {2}.+$/m.test(stderr)) return "no sentence and next step on stderr";
  if (row.integration && exit === 4 && stdout)
    return JSON.parse(stdout).error.code === "AUTH_REQUIRED" ? "" : "no error of a tool";
  return stdout === "" ? "" : "something on stdout";
}

function isLines(text: string): boolean {
  return (
    text.endsWith("\n") &&
    text
      .trimEnd()
      .split("\n")
      .every((line) => typeof JSON.parse(line).type === "string")
  );
}

function afterMs(ms: number): Promise<"hangs"> {
  return new Promise((resolve) => setTimeout(() => resolve("hangs"), ms));
}
