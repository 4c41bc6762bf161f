import type { AddServiceRequest, AddServiceResponse, ApproveRequest, McpRequest } from "#protocol/custom-services";
import { ERRORS, Problem } from "#protocol/errors";
import { splitShellWords } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import { connectService } from "../../consent/connection.ts";
import type { Kay } from "../../kay.ts";
import { confirmOrThrow } from "../../prompt/question.ts";
import { type ClientOptions, readClientOptions } from "./client-options.ts";
import { confirmAndAdd, finishAdd, sendDescription } from "./custom.ts";
import { showDescription } from "./show-description.ts";
import { askToTrustReads, explainApprovals, toExpected } from "./trust-reads.ts";

/** Arguments of `kay services add --mcp`: an address or a command in one text, or the words of a command after `--`. */
export type McpFlags = {
  mcp: string | true;
  name?: string;
  keyHeader?: string;
  env?: string[];
  trustReads?: boolean;
  dryRun: boolean;
} & ClientOptions;

/** Runs `kay services add --mcp`: shows the tools of an MCP server, asks, and stores it with exactly these. */
export async function addMcpServer(kay: Kay, words: string[], flags: McpFlags): Promise<void> {
  const mcp: McpRequest = {
    ...getPlace(kay, words, flags.mcp),
    ...(flags.env === undefined ? {} : { env: getNames(flags.env) }),
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(flags.keyHeader === undefined ? {} : { key_header: flags.keyHeader }),
    ...(await readClientOptions(kay, flags.name, flags)),
  };
  const link = await kay.openBackend();
  const send = async (body: AddServiceRequest) => {
    try {
      const answer = sendDescription(kay, link, body);
      return await (mcp.command ? start(kay, answer) : answer);
    } catch (error) {
      throw error instanceof Problem && error.code === "SERVICE_FAILED" ? explainNoServer(error, mcp) : error;
    }
  };
  const connect = (service: string) => connectService(kay, link, service);
  // A remote backend of an earlier version would ask for a consent.
  const steps = { send, dryRun: flags.dryRun, ...(link.embedded ? { connect } : {}) };
  await confirmAndAdd(kay, { mcp, ...toTrust(flags) }, steps);
}

/**
 * Runs `kay services approve`: shows how the tools of an MCP server differ from the approved ones, asks, and approves
 * them.
 */
export async function approveMcpServer(
  kay: Kay,
  name: string,
  { dryRun, ...flags }: { dryRun: boolean; trustReads?: boolean | undefined },
): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  const send = (body: ApproveRequest): Promise<AddServiceResponse> =>
    start(kay, api.approveService(name, { ...toTrust(flags), ...body }, { signal: kay.signal }));
  const look = await send({ dry_run: true });
  if (dryRun) return await finishAdd(kay, look);
  // Discards the previous list, and starts the program again.
  if (look.outcome === "unchanged") return await finishAdd(kay, await send({ dry_run: false, ...toExpected(look) }));
  if (!kay.flags.json) await showDescription(kay, look);
  if (
    !(await confirmOrThrow(
      kay,
      `Approve the tools of ${toLine(name)} as they are now?`,
      "Use --yes, or --dry-run to only show the changes.",
    ))
  )
    throw new Problem("CANCELLED", "Nothing was changed.");
  const trust = await askToTrustReads(kay, look);
  const response = await send({ ...trust, dry_run: false, ...toExpected(look) });
  if (kay.flags.json) return kay.out.writeJson(response);
  kay.out.writeLine(`Approved the tools of ${toLine(response.service.name)}.`);
  explainApprovals(kay, response);
}

function toTrust({ trustReads }: { trustReads?: boolean | undefined }): { trust_reads?: boolean } {
  return trustReads === undefined ? {} : { trust_reads: trustReads };
}

/** Explains a server that did not answer. It has no checks yet, so the user must inspect it. */
function explainNoServer({ code, message, details, hint: serverHint }: Problem, { url }: McpRequest): Problem {
  if (serverHint !== ERRORS.SERVICE_FAILED.hint)
    return new Problem(code, message, {
      details,
      hint: serverHint.replace(/ `kay doctor[^`]*` checks each step\.$/, ""),
    });
  const hint =
    url === undefined
      ? "Run the command to see its output. It must speak MCP over stdin and stdout."
      : "Specify the address of the server's MCP endpoint (Streamable HTTP), often ending in /mcp.";
  return new Problem(code, message, { details, hint: message.includes("kay serve --stop") ? "" : hint });
}

/** Time before kay explains the wait, in ms. */
const QUIET_MS = 4_000;

/** Waits for the answer, and explains a long wait: the program may be downloaded first. */
async function start<T>(kay: Kay, answer: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, kay.signal]);
  const say = () => {
    if (!signal.aborted) kay.out.writeProgress(WAITING);
  };
  kay.clock.sleep(QUIET_MS, signal).then(say, () => {});
  try {
    return await answer;
  } finally {
    controller.abort();
  }
}

const WAITING = "Starting the server's program, which may be downloaded first (at most 2 minutes; Ctrl+C stops it)…";

/** Refuses values on the command line, which every process list shows. */
function getNames(values: string[]): string[] {
  if (values.every((name) => !name.includes("="))) return values;
  throw new Problem("USAGE", "Pass only the name of the variable to --env, without its value.", {
    hint: "Set the variable where the local backend starts. kay does not store its value.",
  });
}

/** Commands run without a shell, so nothing in them is expanded. */
function getPlace(kay: Kay, words: string[], target: string | true): Pick<McpRequest, "url" | "command" | "folder"> {
  if (target !== true && words.length > 0)
    throw new Problem("USAGE", "Pass the command of an MCP server in quotes, or after `--`.", { hint: HINT });
  if (target === true && words.length === 0)
    throw new Problem("USAGE", "Specify the address of an MCP server, or its command.", { hint: HINT });
  if (target !== true && /^https?:/i.test(target.trim())) return { url: target.trim() };
  const [only = ""] = words;
  if (words.length === 1 && /^https?:\/\//i.test(only)) return { url: only };
  const command = target === true ? words : splitShellWords(target);
  if (!command || command.length === 0)
    throw new Problem(
      "USAGE",
      `${toLine(target === true ? "" : target)} is not a valid command: it has an unclosed quote.`,
      {
        hint: HINT,
      },
    );
  return { command, folder: kay.cwd };
}

const HINT =
  "For example: `kay services add --mcp https://mcp.example.com`, or `kay services add --mcp -- npx -y some-server`.";
