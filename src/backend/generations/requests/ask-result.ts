import { checkCall } from "#agent/calls/execute";
import type { HeldCall } from "#agent/events";
import type { Account } from "#connectors/oauth";
import type { AskResponse, PlannedCall, PreviewField } from "#protocol/ask";
import { type ErrorCode, Problem } from "#protocol/errors";
import { type CallNotes, formatNewDestinations, formatPreviewField, formatTarget } from "#protocol/input-fields";
import { openConfirmation } from "../../approvals/confirmations.ts";
import { listChosenFields } from "../../approvals/foreign-fields.ts";
import { hashAccount, toAccount } from "../../approvals/scope.ts";
import { listServices } from "../../connections/services/catalog.ts";
import type { BackendPorts } from "../../ports.ts";
import { loadMessages } from "../../store/conversations.ts";
import type { GenerationRequest } from "../../store/generation-state.ts";
import { findGeneration } from "../../store/generations.ts";
import { listGrants } from "../../store/grants.ts";
import { buildAgentTools } from "../../tools/toolbox.ts";
import { readCallNotes } from "../calls/call-notes.ts";
import { listPlannedCalls } from "../calls/dry-run.ts";
import { traceFields, traceMessages } from "../calls/provenance.ts";
import { authRequiredProblem } from "../pause.ts";
import { toOutputField } from "../wanted-output.ts";
import type { RunResult } from "../work.ts";

/** The response to a request: its body and its HTTP status. */
export type AskResult = { status: number; body: AskResponse };

/** Context of one ask, independent of who answers it. */
export type AskContext = {
  installationId: string;
  conversationId: string;
  generationId: string;
  request: Pick<GenerationRequest, "prompt" | "context" | "interactive" | "confirm">;
};

export async function toAnswer(
  ports: BackendPorts,
  asking: AskContext,
  result: RunResult,
  dryRun: boolean,
): Promise<AskResult> {
  const { confirm } = asking.request;
  if (confirm && (result.kind === "answered" || (result.kind === "error" && !BOUNDED.has(result.problem.code))))
    return await holdNothing(ports, asking, result);
  if (!dryRun) return await toAskResult(ports, asking, result);
  const plan = await listPlannedCalls(ports.db, asking.generationId);
  return await toAskResult(ports, asking, result, (text, end) => toAskAnswer(asking, text, end, plan));
}

/** Errors that the caller's own limits caused. There is nothing to ask about. */
const BOUNDED = new Set<ErrorCode>(["OUTPUT_INVALID", "STEP_LIMIT"]);

/** Converts the result of a generation to the answer. `toSuccess` builds the answer of a success. */
export async function toAskResult(
  ports: BackendPorts,
  asking: AskContext,
  result: RunResult,
  toSuccess: (text: string, result: RunResult) => AskResult = (text, end) => toAskAnswer(asking, text, end),
): Promise<AskResult> {
  switch (result.kind) {
    case "answered":
      return toSuccess(result.text.trim() || describeSilence(result), result);
    case "held":
      return await requestConfirmation(ports, asking, result);
    case "auth":
      return toFailedResult(
        asking,
        authRequiredProblem(await listServices(ports, asking.installationId), result.integrations),
        result,
      );
    case "error":
      return toFailedResult(asking, result.problem, result);
    case "waiting":
    case "cancelled":
      return toFailedResult(
        asking,
        new Problem("CANCELLED", "The request was canceled before it was finished."),
        result,
      );
  }
}

/** Builds an answer of status `error`, with the receipts of what was done before the failure. */
export function toFailedResult(
  asking: AskContext,
  problem: Problem,
  { receipts }: Pick<RunResult, "receipts">,
): AskResult {
  const { code, message, details } = problem;
  const body = { status: "error", message, error: code, code, ...details, ...toIds(asking), receipts } as const;
  return { status: problem.status, body };
}

/** Returns the IDs of an answer. Only interactive conversations show theirs. */
export function toIds({ request, conversationId, generationId }: AskContext): Partial<AskResponse> {
  return { ...(request.interactive ? { session_id: conversationId } : {}), generation_id: generationId };
}

function toAskAnswer(asking: AskContext, text: string, end: RunResult, plan?: PlannedCall[]): AskResult {
  const { prompt, interactive } = asking.request;
  const { receipts } = end;
  const planned = plan ? { dry_run: true, plan } : {};
  const data = { prompt, ...(interactive ? {} : { response: text }), ...toOutputField(end), ...planned };
  const body: AskResponse = interactive
    ? { status: "interactive_response", ...toIds(asking), interactive, message: text, data, receipts }
    : { status: "completed", message: text, data, ...toIds(asking), receipts };
  return { status: 200, body };
}

/** Asks for the confirmation that `confirm` promises, even without a plan or if the model could not be reached. */
async function holdNothing(ports: BackendPorts, asking: AskContext, result: RunResult): Promise<AskResult> {
  const text = result.kind === "answered" ? result.text.trim() : undefined;
  const parts = { calls: [], receipts: result.receipts, text, ...toOutputField(result) };
  return await requestConfirmation(ports, asking, parts);
}

async function requestConfirmation(
  ports: BackendPorts,
  asking: AskContext,
  parts: { calls: HeldCall[]; receipts: AskResponse["receipts"]; text?: string; output?: unknown },
): Promise<AskResult> {
  const { installationId, conversationId, generationId, request } = asking;
  const { prompt, context, interactive, confirm } = request;
  const accounts = await getAccounts(ports, installationId);
  const [messages, row] =
    parts.calls.length > 0
      ? await Promise.all([
          loadMessages(ports.db, conversationId, { seen: ALL, generationId }),
          findGeneration(ports.db, generationId),
        ])
      : [[]];
  const provenance = traceMessages(messages, row?.request.instructions);
  const tools = parts.calls.length > 0 ? await buildAgentTools(ports, { installationId, generationId }) : [];
  const planned = await Promise.all(
    parts.calls.map(async (call) => {
      const { toolName, access, parsed, summary, service } = call;
      const account = accounts.get(service);
      const checked = checkCall(call, tools);
      const notes = "problem" in checked ? {} : await readCallNotes(ports, installationId, checked, account);
      return {
        tool: toolName,
        access,
        input: parsed,
        summary,
        ...(account ? { account: account.words } : {}),
        ...notes,
        fields: traceFields(
          parsed,
          provenance,
          "problem" in checked ? undefined : listChosenFields(checked.tool.schema, checked.input, provenance),
        ),
      };
    }),
  );
  const targets = planned.flatMap(({ target }, index) => (target ? [[parts.calls[index]?.toolCallId, target]] : []));
  // A request without calls has ended already; approving it only says so.
  const plan =
    parts.calls.length > 0
      ? { confirm, accounts: pickAccounts(accounts, parts.calls), targets: Object.fromEntries(targets) }
      : { confirm, text: parts.text, output: parts.output };
  const heldRequest = { generationId, conversationId, prompt, context, interactive, plan };
  const { token, expiresAt } = await openConfirmation(ports, installationId, heldRequest);
  const lines = planned.map((call) => `\n- ${call.summary}${formatPlannedCall(call)}`).join("");
  const body: AskResponse = {
    status: "confirmation_required",
    confirmation_token: token,
    requires_confirmation: true,
    message: `Please confirm the following action: ${prompt}${lines}`,
    data: { prompt, context, plan: planned, ...(parts.text?.trim() ? { response: parts.text.trim() } : {}) },
    ...toIds(asking),
    receipts: parts.receipts,
    expires_at: expiresAt,
  };
  return { status: 200, body };
}

/** Formats the target of a call and every field that an approval would send, below the summary of the call. */
function formatPlannedCall({ fields, ...notes }: CallNotes & { fields: PreviewField[] }): string {
  const [above, below] = [formatTarget(notes), formatNewDestinations(notes)].map((lines) =>
    lines.map((line) => `  ${line}`),
  );
  const lines = [...(above ?? []), ...fields.map(formatPreviewField), ...(below ?? [])];
  return lines.map((line) => `\n${line}`).join("");
}

/** A number above the messages of any conversation. */
const ALL = 2 ** 31 - 1;

/** Returns the connected account of each service. */
export async function getAccounts({ db }: BackendPorts, installationId: string): Promise<Map<string, Account>> {
  const grants = await listGrants(db, installationId);
  const connected = grants.filter(({ status }) => status === "connected");
  return new Map(connected.map((grant) => [grant.service, toAccount(grant)]));
}

/** Returns the accounts that a plan would use, as they are stored with its confirmation. */
function pickAccounts(accounts: Map<string, Account>, calls: HeldCall[]): Record<string, ShownAccount> {
  const entries = calls.flatMap(({ service }) => {
    const account = accounts.get(service);
    return account ? [[service, { id: hashAccount(account), words: account.words }] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Returns an account as a confirmation shows it. */
export type ShownAccount = { id: string; words: string };

function describeSilence({ receipts, failed: calls }: RunResult): string {
  if (receipts.length > 0) return receipts.map(({ summary }) => `- ${summary}`).join("\n");
  return calls.at(-1)?.message ?? "The model gave no answer.";
}
