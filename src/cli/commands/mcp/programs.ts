import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import type { ProgramAccessRequest, ProgramView } from "#protocol/program-calls";
import { createIdShortener } from "#protocol/short-id";
import { formatLocalDay } from "#ui/text/local-time";
import { toLine } from "#ui/text/words";
import { findById } from "../../backend/find-by-id.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import { openLinks } from "../../consent/open-links.ts";
import type { Kay } from "../../kay.ts";
import { wrapSentences } from "../../output/wrap.ts";
import { canPick, missingArgumentProblem, pickOne } from "../../prompt/pick.ts";
import { canPrompt, confirmOrThrow, promptYesNo } from "../../prompt/question.ts";

/**
 * Runs `kay mcp authorize`: shows the requesting program and authorizes it if the user confirms. `--yes` does not
 * confirm, because an agent with a shell could type it.
 *
 * @throws Problem INPUT_REQUIRED without a terminal, NOT_FOUND for a wrong code, CANCELLED when the user declines
 */
export async function authorizeProgram(kay: Kay, code: string): Promise<void> {
  if (!canPrompt(kay))
    throw new Problem("INPUT_REQUIRED", "Only a person at a terminal can authorize a program.", {
      hint: `Run \`kay mcp authorize ${toLine(code)}\` in a terminal.`,
    });
  const { api } = await openProgramBackend(kay);
  const request = await api.programRequest(code);
  // Shown with --quiet and --json too, because the user must see what to answer.
  kay.terminal.stderr.write(`${wrapSentences(describeRequest(kay, request), kay.terminal.stderr.columns())}\n`);
  const allow = await promptYesNo(kay, "Let it use kay?");
  const { url } = await api.answerProgram(code, allow);
  if (url === undefined) throw new Problem("CANCELLED", `${toLine(request.name)} was not authorized.`);
  if (kay.flags.json) return kay.out.writeJson({ program: request, url });
  kay.out.writeProgress("Open this link in the browser where you began. It works once, for a few minutes:");
  kay.out.writeLine(url);
  if (kay.flags.browser) await openLinks(kay, [url]);
}

/** Describes the request: the program's name, where the answer goes, and what it may access. */
function describeRequest({ clock }: Kay, request: ProgramAccessRequest): string {
  const { name, redirect_host: host, document_host, requested_from, created_at } = request;
  const isHere = isLoopbackHost(new URL(`http://${host}`).hostname);
  const minutes = Math.max(0, Math.floor((clock.now() - Date.parse(created_at)) / 60_000));
  const ago = minutes === 0 ? "just now" : `${minutes} min ago`;
  return [
    `A program that calls itself “${toLine(name)}” wants to use kay.`,
    `  answers go to  ${toLine(host)}${isHere ? " (a program on the computer of your browser)" : ""}`,
    ...(document_host === undefined ? [] : [`  described at   ${toLine(document_host)}`]),
    `  asked          ${ago}, from ${toLine(requested_from ?? "an unknown address")}`,
    "It can then read what your connected services show kay.",
    "Each change waits for your approval, unless your policies let it run.",
    "You approve in a terminal with `kay inbox`.",
    "Continue only if you started this yourself just now.",
    "No other person has a reason to send you a code.",
  ].join("\n");
}

/** Runs `kay mcp list`. */
export async function listPrograms(kay: Kay): Promise<void> {
  const { programs } = await openProgramBackend(kay);
  if (kay.flags.json) return kay.out.writeJson({ programs });
  if (programs.length === 0) return kay.out.writeProgress(NO_PROGRAMS_TEXT);
  await kay.out.writeTable(["ID", "PROGRAM", "ADDRESS", "SINCE", "LAST USED"], toRows(programs));
}

/**
 * Runs `kay mcp remove`.
 *
 * @throws Problem NOT_FOUND, USAGE when several programs are meant, CANCELLED when the user declines
 */
export async function removeProgram(kay: Kay, name: string | undefined): Promise<void> {
  if (name === undefined && !canPick(kay)) throw missingArgumentProblem("mcp remove", "program");
  const { api, programs } = await openProgramBackend(kay);
  if (name === undefined && programs.length === 0) return kay.out.writeProgress(NO_PROGRAMS_TEXT);
  const target = name ?? (await pickProgram(kay, programs));
  if (target === undefined) return;
  const program = findProgram(programs, target);
  if (!(await confirmOrThrow(kay, `End the access of ${toLine(program.name)}?`, "Use --yes.")))
    throw new Problem("CANCELLED", "No access was ended.");
  const removed = await api.removeProgram(program.id);
  if (kay.flags.json) return kay.out.writeJson({ removed });
  kay.out.writeLine(`${toLine(program.name)} can no longer use kay.`);
}

/** Finds a program by ID, or by a unique name. */
function findProgram(programs: ProgramView[], argument: string): ProgramView {
  const matches = programs.filter(({ name }) => name.toLowerCase() === argument.toLowerCase());
  const program = matches.length === 1 ? matches[0] : findById(argument, programs, ({ name }) => name);
  if (program) return program;
  if (matches.length > 1)
    throw new Problem("USAGE", `${matches.length} programs are named ${JSON.stringify(toLine(argument))}.`, {
      hint: "Specify the ID shown by `kay mcp list`.",
    });
  throw new Problem("NOT_FOUND", `No program has the name or ID ${JSON.stringify(toLine(argument))}.`, {
    hint: "Run `kay mcp list` to list them.",
  });
}

function pickProgram(kay: Kay, programs: ProgramView[]): Promise<string | undefined> {
  const choices = toRows(programs).map(([id = "", name = "", address = ""], index) => ({
    value: programs[index]?.id ?? "",
    label: name,
    note: `${id} · ${address}`,
  }));
  return pickOne(kay, "Which program do you want to remove?", choices);
}

function toRows(programs: ProgramView[]): string[][] {
  const shorten = createIdShortener(programs.map(({ id }) => id));
  return programs.map(({ id, name, redirect_host, created_at, used_at }) => [
    toLine(shorten(id)),
    toLine(name),
    toLine(redirect_host),
    formatLocalDay(created_at),
    formatLocalDay(used_at),
  ]);
}

const NO_PROGRAMS_TEXT = "No program may use kay over HTTP.";

/** Opens a backend that serves programs over HTTP, and lists them. @throws Problem NOT_FOUND for any other backend */
async function openProgramBackend(kay: Kay): Promise<{ api: BackendHandle["api"]; programs: ProgramView[] }> {
  const { api } = await kay.openBackend({ signedIn: true });
  const programs = await api.programs();
  if (programs) return { api, programs };
  throw new Problem("NOT_FOUND", "This backend does not serve MCP over HTTP.", {
    hint: "Start one with `kay serve --mcp`, and set its address as api-url. `kay mcp` on stdin needs neither.",
  });
}
