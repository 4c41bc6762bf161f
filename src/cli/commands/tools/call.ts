import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { formatInputFields, listInputFields } from "#protocol/input-fields";
import { tryParseJson } from "#protocol/json";
import { quoteShellWord } from "#protocol/shell";
import type { ToolCallResponse, ToolView } from "#protocol/tools";
import { getAskChoices } from "../../ask/choices.ts";
import { showReceipts } from "../../ask/show-answer.ts";
import { isSignedOut } from "../../backend/known-services.ts";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay, LocalTools } from "../../kay.ts";
import { confirmOrThrow } from "../../prompt/question.ts";
import { readPipedInput } from "../../terminal/piped-input.ts";
import { isUnknownTool } from "./backend.ts";
import { parseFields } from "./fields.ts";

/** Arguments of `kay tools call`: the name, the input as JSON or `-`, and fields, which override it. */
export type ToolCall = { name: string; input: string | undefined; fields: string[] };

/**
 * Runs `kay tools call`: runs one tool, with the token of the environment if there is one, otherwise through the
 * backend.
 */
export async function callTool(kay: Kay, call: ToolCall): Promise<ExitCode> {
  const input = await readInput(kay, call);
  const local = await kay.localTools();
  try {
    await show(kay, await run(kay, local, { ...call, parsedInput: input }));
    return EXIT.ok;
  } catch (error) {
    const problem = withHint(error, call.name);
    if (!(problem instanceof Problem) || problem.code !== "AUTH_REQUIRED") throw problem;
    return showAuthRequired(kay, problem);
  } finally {
    await local.close();
  }
}

/** Adds the command to run next, which the backend does not know. */
function withHint(error: unknown, name: string): unknown {
  if (!(error instanceof Problem)) return error;
  const { code, message, details, cause } = error;
  const { integrations, field } = details;
  const [service] = Array.isArray(integrations) ? integrations : [];
  const word = quoteShellWord(name);
  const tool = code === "NOT_FOUND" ? "Run `kay tools list` to list all tools." : undefined;
  const input = code === "INVALID_REQUEST" && field ? `Run \`kay tools show ${word}\` to see its fields.` : undefined;
  const connect =
    error.hint.endsWith("then ask again.") && typeof service === "string"
      ? `Run \`kay connect ${quoteShellWord(service)}\`.`
      : undefined;
  const hint = tool ?? input ?? connect ?? error.hint;
  return new Problem(code, message, { hint, details, cause });
}

type ParsedCall = ToolCall & { parsedInput: Record<string, unknown> };
type Run = (input: Record<string, unknown>) => Promise<ToolCallResponse>;

async function run(kay: Kay, local: LocalTools, call: ParsedCall): Promise<ToolCallResponse> {
  const { tool, run } = await findRun(kay, local, call.name);
  const input = { ...call.parsedInput, ...parseFields(tool, call.fields) };
  await confirmCall(kay, tool, input);
  return await run(input);
}

/** Decides where the tool runs. With a token of the environment, no backend is started or asked. */
async function findRun(kay: Kay, local: LocalTools, name: string): Promise<{ tool: ToolView; run: Run }> {
  const localTool = findLocalTool(local, name);
  const { time_zone: timeZone } = getAskChoices(kay);
  if (localTool && !(localTool instanceof Problem) && localTool.hasToken)
    return { tool: localTool.view, run: (input) => local.call(name, input, { signal: kay.signal, timeZone }) };
  const { api } = await kay.openBackend({ signedIn: true }).catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
    throw localTool instanceof Problem ? localTool : createAuthProblem(localTool.view, localTool.variable);
  });
  const tool = await api.tool(name, { signal: kay.signal });
  return { tool, run: (input) => api.callTool(name, input, { signal: kay.signal, timeZone }) };
}

function findLocalTool(local: LocalTools, name: string): ReturnType<LocalTools["find"]> | Problem {
  try {
    return local.find(name);
  } catch (error) {
    if (isUnknownTool(error)) return error;
    throw error;
  }
}

function createAuthProblem({ service, title = service }: ToolView, variable: string): Problem {
  return new Problem("AUTH_REQUIRED", `${title} authentication is required, and you are not signed in.`, {
    hint: `Run \`kay connect ${service}\`, or set ${variable}.`,
    details: { integrations: [service] },
  });
}

/** Shows a call that cannot be undone in full, and asks for confirmation. */
async function confirmCall(kay: Kay, { name, access }: ToolView, input: Record<string, unknown>): Promise<void> {
  if (access !== "destructive" || kay.flags.yes) return;
  const title = clean(name, { lines: false });
  kay.terminal.stderr.write(`${title}:\n${formatInputFields(listInputFields(input))}\n`);
  const question = `Run ${title}? It cannot be undone.`;
  if (!(await confirmOrThrow(kay, question, "Use --yes."))) throw new Problem("CANCELLED", "Nothing was done.");
}

async function show(kay: Kay, { output, receipts }: ToolCallResponse): Promise<void> {
  if (kay.flags.json) return kay.out.writeJson(output.data);
  await kay.out.writeMarkdown(clean(output.text));
  const { next_cursor: cursor } = (output.data ?? {}) as { next_cursor?: unknown };
  if (typeof cursor === "string") kay.out.writeProgress(`More: add --field cursor=${quoteShellWord(clean(cursor))}`);
  showReceipts(kay, receipts);
}

/** Prints the document of a missing connection. With `--json`, it is also a failure like any other. */
function showAuthRequired(kay: Kay, problem: Problem): ExitCode {
  const { integrations } = problem.details;
  const integration = Array.isArray(integrations) ? integrations[0] : problem.details.integration;
  const { code, message, hint } = problem;
  const document = { error: { code, integration, message } };
  kay.out.writeError(problem, kay.flags.json ? { status: "error", ...document, code, message, hint } : document);
  return problem.exit;
}

/** Reads the input. @throws Problem USAGE for input that is not a JSON object */
async function readInput(kay: Kay, { input, fields }: ToolCall): Promise<Record<string, unknown>> {
  const text = await formatInput(kay, input, fields.length > 0);
  if (text.trim() === "") return {};
  const value = tryParseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Problem("USAGE", "The input must be a JSON object.", {
    hint: 'For example {"project": "KAY"}, or --field project=KAY.',
  });
}

async function formatInput(kay: Kay, input: string | undefined, hasFields: boolean): Promise<string> {
  if (input !== undefined && input !== "-") return input;
  if (input === undefined && hasFields) return "";
  return readPipedInput(kay, { patient: input === "-", without: "calling without it (`-` as the input waits)" });
}
