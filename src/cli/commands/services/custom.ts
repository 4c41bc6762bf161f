import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { clean } from "#protocol/clean";
import type { AddServiceRequest, AddServiceResponse } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import type { ConnectedService } from "../../consent/connection.ts";
import type { Kay } from "../../kay.ts";
import { confirmOrThrow } from "../../prompt/question.ts";
import { readPipedInput } from "../../terminal/piped-input.ts";
import { showDescription } from "./show-description.ts";
import { askToTrustReads, explainApprovals, toExpected } from "./trust-reads.ts";

/** Largest description in bytes; the backend has the same limit. */
const LONGEST = 256 * 1024;

/** Runs `kay services add`: shows a description, asks, and stores it in the backend. */
export async function addService(kay: Kay, file: string, { dryRun }: { dryRun: boolean }): Promise<void> {
  const source = await readSource(kay, file);
  const link = await kay.openBackend();
  const send = (body: AddServiceRequest) =>
    sendDescription(kay, link, body).catch((error: unknown) => {
      throw nameFile(error, file);
    });
  await confirmAndAdd(kay, { source }, { send, dryRun });
}

/** Sends a service to the backend for a preview, shows it, asks, and sends it again to be stored. */
export async function confirmAndAdd(
  kay: Kay,
  body: AddServiceRequest,
  {
    send,
    dryRun,
    connect,
  }: {
    send(body: AddServiceRequest): Promise<AddServiceResponse>;
    dryRun: boolean;
    /** Connects a service that needs no sign-in. */
    connect?(service: string): Promise<ConnectedService>;
  },
): Promise<void> {
  const look = await send({ ...body, dry_run: true });
  if (dryRun || (look.outcome === "unchanged" && !body.mcp?.client_secret)) return await finishAdd(kay, look);
  if (!kay.flags.json) await showDescription(kay, look);
  const verb = look.outcome === "added" ? "Add" : "Replace";
  const otherwise = "Use --yes, or --dry-run to only show the changes.";
  if (!(await confirmOrThrow(kay, `${verb} ${toLine(look.service.name)}?`, otherwise)))
    throw new Problem("CANCELLED", "Nothing was changed.");
  const trust = await askToTrustReads(kay, look);
  const response = await send({ ...body, ...trust, dry_run: false, ...toExpected(look) });
  const { name, sign_in } = response.service;
  if (!kay.flags.json) {
    kay.out.writeLine(`${response.outcome === "added" ? "Added" : "Replaced"} ${toLine(name)}.`);
    explainApprovals(kay, response);
  }
  const connection = sign_in === "none" && !response.connected ? await connect?.(name) : undefined;
  const connected = response.connected || connection !== undefined;
  if (kay.flags.json) return kay.out.writeJson(connected ? { ...response, connected } : response);
  if (connection) kay.out.writeLine(connection.message);
  if (!connected) kay.out.writeProgress(`Connect it with \`kay connect ${quoteShellWord(name)}\`.`);
}

/**
 * Runs `kay services remove`: removes a service, its connection and the approvals of its tools. Does not ask about one
 * that does not exist.
 */
export async function removeService(kay: Kay, name: string): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  await api.serviceDescription(name, { signal: kay.signal });
  const question = `Remove ${toLine(name)}, with its connection?`;
  if (!(await confirmOrThrow(kay, question, "Use --yes."))) throw new Problem("CANCELLED", "Nothing was removed.");
  const answer = await api.removeService(name, { signal: kay.signal });
  if (kay.flags.json) return kay.out.writeJson(answer);
  kay.out.writeLine(`Removed ${toLine(answer.service)}.`);
}

/** Runs `kay services export`: prints the description as it was added, or parsed with `--json`. */
export async function exportService(kay: Kay, name: string): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  const { source, description } = await api.serviceDescription(name, { signal: kay.signal });
  if (kay.flags.json) return kay.out.writeJson(description);
  const text = kay.terminal.stdout.isTerminal ? clean(source) : source;
  kay.terminal.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

/** Sends a service. Without a sign-in, the backend creates an installation, which the first connection signs in to. */
export async function sendDescription(
  kay: Kay,
  link: BackendHandle,
  request: AddServiceRequest,
): Promise<AddServiceResponse> {
  const { session_id } = link.usesEnvironmentToken ? {} : (await link.credentials.read(link.origin)).signIn;
  const body = { ...request, ...(session_id ? { session_id } : {}) };
  const answer = await link.api.describeService(body, { signal: kay.signal });
  const sessionId = answer.session_id;
  if (sessionId && sessionId !== session_id)
    await link.credentials.update(link.origin, (current) => ({ ...current, session_id: sessionId }));
  return answer;
}

/** Adds the file's name to its errors: the first as the message, the others below it. */
function nameFile(error: unknown, file: string): unknown {
  if (!(error instanceof Problem) || !Array.isArray(error.details.problems)) return error;
  const messages = error.details.problems.flatMap((issue: unknown) => {
    const message = (issue as { message?: unknown } | null)?.message;
    return typeof message === "string" ? [toLine(message)] : [];
  });
  const [first = error.message, ...furtherIssues] = messages;
  const name = file === "-" ? "The description" : toLine(file);
  const lines = furtherIssues.slice(0, MOST_SHOWN).join("\n  ");
  const suffix = furtherIssues.length > MOST_SHOWN ? `\n  And ${furtherIssues.length - MOST_SHOWN} more.` : "";
  return new Problem(error.code, `${name}: ${first}`, { hint: `${lines}${suffix}`, details: error.details });
}

const MOST_SHOWN = 12;

export async function finishAdd(kay: Kay, look: AddServiceResponse): Promise<void> {
  if (kay.flags.json) return kay.out.writeJson(look);
  await showDescription(kay, look);
  const name = toLine(look.service.name);
  if (look.outcome === "unchanged") kay.out.writeProgress(`${name} was already added and did not change.`);
  else kay.out.writeProgress("Nothing was changed: this was a dry run.");
}

async function readSource(kay: Kay, file: string): Promise<string> {
  const text = file === "-" ? await readPipedInput(kay, { patient: true }) : await readFile(kay, file);
  if (text.trim() === "")
    throw new Problem("USAGE", `${file === "-" ? "stdin" : toLine(file)} is empty.`, { hint: HINT });
  return text;
}

const HINT = "Specify a YAML or JSON file that describes the service, or `-` for stdin.";

/** Reads a regular file up to the limit; refuses devices and pipes. */
async function readFile(kay: Kay, file: string): Promise<string> {
  const path = resolve(kay.cwd, file);
  const createReadProblem = (reason: string) =>
    new Problem("USAGE", `Could not read ${toLine(file)} (${reason}).`, { hint: HINT });
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (error: NodeJS.ErrnoException) => {
      throw createReadProblem(error.code ?? "unknown");
    },
  );
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw createReadProblem(stats.isDirectory() ? "it is a folder" : "it is not a file");
    if (stats.size > LONGEST)
      throw new Problem("PAYLOAD_TOO_LARGE", `${toLine(file)} is larger than ${LONGEST / 1024} KiB.`);
    return new TextDecoder().decode(await handle.readFile());
  } finally {
    await handle.close();
  }
}
