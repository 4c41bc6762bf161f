import type { Grant } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import { createIdShortener } from "#protocol/short-id";
import type { Choice } from "#ui/picker/picker";
import { formatLocalDay } from "#ui/text/local-time";
import { toLine } from "#ui/text/words";
import { findConversationId } from "../../ask/conversation.ts";
import { findById } from "../../backend/find-by-id.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { canPick, missingArgumentProblem, pickOne } from "../../prompt/pick.ts";
import { confirmOrThrow } from "../../prompt/question.ts";

export async function listApprovals(kay: Kay): Promise<void> {
  const { api } = await kay.openBackend({ signedIn: true });
  const approvals = await api.approvals();
  if (kay.flags.json) return kay.out.writeJson({ approvals });
  if (approvals.length === 0) return kay.out.writeProgress(NO_APPROVALS_TEXT);
  await kay.out.writeTable(APPROVAL_COLUMNS, toApprovalRows(approvals));
}

/** Runs `kay approvals test`: reports whether a call would need approval, without running it. */
export async function testApproval(
  kay: Kay,
  { tool, input, session }: { tool: string; input: string | undefined; session: string | undefined },
): Promise<void> {
  const body = input === undefined ? {} : { input: getObject(input) };
  const link = await kay.openBackend({ signedIn: true });
  const { api } = link;
  const session_id = await findConversationId(link, session === undefined ? {} : { resume: session });
  const answer = await api.testApproval({ tool, ...body, ...(session_id ? { session_id } : {}) });
  if (kay.flags.json) return kay.out.writeJson(answer);
  kay.out.writeLine(`${answer.asks ? "Would ask for approval" : "Would run without asking"}: ${toLine(answer.why)}`);
}

/** Runs `kay approvals revoke`. Asks first, because other conversations may rely on the approval. */
export async function revokeApproval(kay: Kay, id: string | undefined): Promise<void> {
  if (id === undefined && !canPick(kay)) throw missingArgumentProblem("approvals revoke", "id");
  const { api } = await kay.openBackend({ signedIn: true });
  const target = id ?? (await pickApproval(kay, await api.approvals()));
  if (target === undefined) return;
  const revoked = await confirmAndRevoke(api, target, (question) => confirmOrThrow(kay, question, "Use --yes."));
  if (kay.flags.json) return kay.out.writeJson({ revoked });
  kay.out.writeLine(formatRevoked(revoked));
}

/** Lets the user choose a saved approval. Returns undefined if there is none. */
async function pickApproval(kay: Kay, all: Grant[]): Promise<string | undefined> {
  if (all.length > 0) return pickOne(kay, "Which approval do you want to revoke?", toApprovalChoices(all));
  kay.out.writeProgress(NO_APPROVALS_TEXT);
  return undefined;
}

/** Converts saved approvals to choices. */
export function toApprovalChoices(all: Grant[]): Choice[] {
  return toApprovalRows(all).map(([id = "", lasts = "", words = "", account = ""], index) => ({
    value: all[index]?.id ?? "",
    label: words,
    note: [id, lasts, account].filter(Boolean).join(" · "),
  }));
}

/**
 * Revokes a saved approval after the user confirms.
 *
 * @throws Problem APPROVAL_NOT_FOUND for an unknown ID, CANCELLED when the user declines
 */
export async function confirmAndRevoke(
  api: BackendHandle["api"],
  id: string,
  ask: (question: string) => Promise<boolean>,
): Promise<Grant> {
  const approval = findById(id, await api.approvals(), ({ words }) => words);
  if (!approval) throw new Problem("APPROVAL_NOT_FOUND", `No approval has the ID ${JSON.stringify(toLine(id))}.`);
  if (!(await ask(`Revoke “${toLine(approval.words)}”?`))) throw new Problem("CANCELLED", "No approval was revoked.");
  await api.revokeApproval(approval.id);
  return approval;
}

export function formatRevoked({ words }: Grant): string {
  return `Revoked “${toLine(words)}”. kay will ask again next time.`;
}

export const NO_APPROVALS_TEXT = "No saved approvals.";

export const APPROVAL_COLUMNS = ["ID", "LASTS", "WHAT", "ACCOUNT", "UNTIL", "LAST USED"];

/** Formats approvals as rows of {@link APPROVAL_COLUMNS}. */
export function toApprovalRows(all: Grant[]): string[][] {
  const shorten = createIdShortener(all.map(({ id }) => id));
  return all.map(({ id, scope, words, account, expires_at, last_used_at }) => {
    const lasts = scope === "always" ? "always" : "conversation";
    return [toLine(shorten(id)), lasts, toLine(words), toLine(account ?? ""), getDay(expires_at), getDay(last_used_at)];
  });
}

function getDay(time: string | null | undefined): string {
  return time ? formatLocalDay(time) : "";
}

function getObject(text: string): Record<string, unknown> {
  const value = tryParseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Problem("USAGE", "The input must be a JSON object.", { hint: 'For example: {"channel": "#general"}.' });
}
