import { formatAccountChange } from "#agent/calls/run-tool";
import type { AskResponse, ConfirmRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { closeConfirmation, peekConfirmation } from "../../approvals/confirmations.ts";
import { hashAccount } from "../../approvals/scope.ts";
import type { BackendPorts } from "../../ports.ts";
import type { StoredConfirmation } from "../../store/confirmations.ts";
import { findGeneration } from "../../store/generations.ts";
import { retryWhileAway } from "../../store/round-trips.ts";
import type { DbConnection } from "../../store/schema.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import type { Engine } from "../engine.ts";
import { advanceGeneration } from "../progress.ts";
import type { LinkRequest } from "../request.ts";
import { toOutputField } from "../wanted-output.ts";
import {
  type AskContext,
  type AskResult,
  getAccounts,
  type ShownAccount,
  toAskResult,
  toFailedResult,
  toIds,
} from "./ask-result.ts";
import { attendGeneration } from "./attend.ts";

/**
 * Handles `POST /ask/confirm` (docs/protocol.md). An approval covers exactly the calls that were shown. They run to the
 * end even if the caller disconnects; then the generation continues. Later reads run. Under `confirm` every further
 * write needs another confirmation, otherwise only a destructive one does.
 * @throws Problem CONFIRMATION_NOT_FOUND, CONFIRMATION_USED, CONFIRMATION_EXPIRED
 */
export async function answerConfirmation(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  { confirmation_token: token, approved }: ConfirmRequest,
  { signal, link }: { signal: AbortSignal; link: LinkRequest },
): Promise<AskResult> {
  const change = approved ? await findAccountChange(ports, installationId, token) : undefined;
  // The answer, the key of the request and the start of the work are stored in one transaction.
  const { heldRequest, open } = await runTransaction(ports.db, async (tx) => {
    const heldRequest = await closeConfirmation({ db: tx, clock: ports.clock }, installationId, token, approved);
    if (!approved) return { heldRequest, open: false };
    for (const change of link.changes({ ...heldRequest, after: 0 })) await change.execute(tx);
    link.begin();
    return { heldRequest, open: change === undefined && (await approve(tx, heldRequest, ports.clock.now())) };
  });
  const { text, output, confirm: strict } = heldRequest.plan as HeldPlan;
  const { conversationId, generationId, prompt, context, interactive } = heldRequest;
  const request = { prompt, context, interactive, confirm: strict };
  const asking: AskContext = { installationId, conversationId, generationId, request };
  if (!approved) return await cancel(engine, asking);
  if (text) return createConfirmedResult(asking, text, { receipts: [], ...(output === undefined ? {} : { output }) });
  if (change !== undefined) {
    await retryWhileAway(() => engine.stop(generationId, change));
    return toFailedResult(asking, new Problem("ACCOUNT_MISMATCH", change, { hint: "" }), { receipts: [] });
  }
  if (!open) return toFailedResult(asking, new Problem("CANCELLED", "There is nothing left to run."), { receipts: [] });
  // An approval cannot be half done, so its calls run even if the caller is gone. What follows them runs only for a
  // caller.
  const result = await attendGeneration(ports, engine, asking, signal);
  return await toAskResult(ports, asking, result, (answerText) =>
    result.failed.length > 0
      ? createFailedResult(asking, answerText, result)
      : createConfirmedResult(asking, answerText, { receipts: result.receipts, ...toOutputField(result) }),
  );
}

/** The plan of a confirmation, with the accounts that it showed by service. */
type HeldPlan = { text?: string; output?: unknown; confirm: boolean; accounts?: Record<string, ShownAccount> };

/** Approves the held calls, unless nothing is left to run. If this process ends now, another one continues. */
async function approve(tx: DbConnection, { generationId, plan }: StoredConfirmation, now: number): Promise<boolean> {
  if ((plan as HeldPlan).text) return false;
  const row = await findGeneration(tx, generationId);
  if (row === undefined || row.finished_at !== null || row.step === null) return false;
  await advanceGeneration(tx, row, { type: "approved" }, { wake_at: new Date(now + TAKEN_OVER) });
  return true;
}

/** Returns a sentence about an account that changed since the confirmation was shown, if one did. */
async function findAccountChange(
  ports: BackendPorts,
  installationId: string,
  token: string,
): Promise<string | undefined> {
  const heldRequest = await peekConfirmation(ports, installationId, token);
  const { text, accounts: shownAccounts = {} } = (heldRequest?.plan ?? {}) as Partial<HeldPlan>;
  if (text) return undefined;
  const current = await getAccounts(ports, installationId);
  for (const [service, { id, words }] of Object.entries(shownAccounts)) {
    const account = current.get(service);
    if (account && hashAccount(account) !== id) return formatAccountChange(service, words, account.words);
  }
  return undefined;
}

/** How long the process that received the approval has to start the work, in ms. */
const TAKEN_OVER = 2_000;

async function cancel(engine: Engine, asking: AskContext): Promise<AskResult> {
  await retryWhileAway(() => engine.stop(asking.generationId, `${CANCELLED}.`));
  return { status: 200, body: { status: "completed", message: CANCELLED, ...toIds(asking), receipts: [] } };
}

function createConfirmedResult(
  asking: AskContext,
  text: string,
  { receipts, ...output }: { receipts: AskResponse["receipts"]; output?: unknown },
): AskResult {
  const data = { prompt: asking.request.prompt, response: text, ...output };
  const message = text ? `${CONFIRMED}\n\n${text}` : CONFIRMED;
  return { status: 200, body: { status: "completed", message, data, ...toIds(asking), receipts } };
}

/** An approval that failed must not look like one that succeeded. */
function createFailedResult(
  asking: AskContext,
  text: string,
  result: { failed: Problem[]; receipts: AskResponse["receipts"] & object },
): AskResult {
  const code = result.failed.some(({ code }) => code === "OUTCOME_UNKNOWN") ? "OUTCOME_UNKNOWN" : "SERVICE_FAILED";
  const details = { data: { prompt: asking.request.prompt, response: text } };
  return { ...toFailedResult(asking, new Problem(code, text, { details }), result), status: 502 };
}

const CANCELLED = "Action cancelled by user";
const CONFIRMED = "Action confirmed and executed successfully";
