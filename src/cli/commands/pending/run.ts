import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { createIdShortener, shortenId } from "#ui/text/short-id";
import { toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import { getAnswerCommands } from "../../ask/pending-items.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { ExitCode } from "../../exit-codes.ts";
import type { Kay } from "../../kay.ts";
import { canPick, pickSome } from "../../prompt/pick.ts";

/**
 * Lists the open requests.
 *
 * @throws Problem NOT_FOUND when the backend has no API for them
 */
export async function listPendingRequests(link: BackendHandle): Promise<PendingRequest[]> {
  const pending = await link.api.pending();
  if (pending) return pending;
  throw new Problem("NOT_FOUND", "This backend supports only confirmations.", {
    hint: "Answer them with `kay confirm <token>`.",
  });
}

/** Converts an open request to a card, or undefined if it has no content. */
export function toCard({ id, kind, generation_id, request, auth }: PendingRequest): CardItem | undefined {
  if (kind === "auth") return auth && { kind: "card", id, type: "auth", generation_id, auth };
  return request && { kind: "card", id, type: kind === "approval" ? "approval" : "form", generation_id, request };
}

/** Runs `kay pending`: lists the open requests. On a terminal the user may choose one to answer. */
export async function showPending(kay: Kay): Promise<ExitCode | undefined> {
  const pending = await listPendingRequests(await kay.openBackend({ signedIn: true }));
  if (kay.flags.json) kay.out.writeJson({ pending: pending.map((one) => ({ ...one, answer: getCommands(kay, one) })) });
  else if (pending.length === 0) kay.out.writeProgress(NOTHING_PENDING_TEXT);
  if (kay.flags.json || pending.length === 0) return undefined;
  const chosen = kay.terminal.stdout.isTerminal && canPick(kay) ? await pickRequest(kay, pending) : undefined;
  if (chosen !== undefined) {
    const { runAnswer } = await import("../answer/run.ts");
    return runAnswer(kay, chosen, { field: [] });
  }
  await kay.out.writeTable(PENDING_COLUMNS, toPendingRows(kay, pending));
  kay.out.writeProgress("Answer one with `kay answer <id>`.");
  return undefined;
}

/** Lets the user choose an open request. Returns undefined if there is none, or none is chosen. */
export async function pickRequest(kay: Kay, pending: PendingRequest[]): Promise<string | undefined> {
  if (pending.length === 0) {
    kay.out.writeProgress(NOTHING_PENDING_TEXT);
    return undefined;
  }
  const rows = toPendingRows(kay, pending);
  const choices = pending.map((one, index) => {
    const [id = "", kind = "", what = "", conversation = "", left = ""] = rows[index] ?? [];
    return { value: one.id, label: what, note: [id, kind, left, conversation].filter(Boolean).join(" · ") };
  });
  const [chosen] = (await pickSome(kay, "Which request do you want to answer?", choices, false)) ?? [];
  return chosen;
}

/** Says in a few words what a request asks. */
export function formatRequest({ kind, request, auth }: PendingRequest): string {
  if (kind === "auth") return `connect ${(auth?.integrations ?? []).map(toLine).join(", ")}`;
  return toLine(request?.preview?.summary ?? request?.prompt ?? request?.tool_name ?? "");
}

export const NOTHING_PENDING_TEXT = "No open requests.";

export const PENDING_COLUMNS = ["ID", "KIND", "WHAT", "CONVERSATION", "EXPIRES IN"];

/** Formats open requests as rows of {@link PENDING_COLUMNS}. */
export function toPendingRows(kay: Kay, pending: PendingRequest[]): string[][] {
  const shorten = createIdShortener(pending.map(({ id }) => id));
  return pending.map((one) => [
    toLine(shorten(one.id)),
    KINDS[one.kind],
    formatRequest(one),
    toLine(one.title ?? shortenId(one.session_id)),
    expiresIn(Date.parse(one.expires_at) - kay.clock.now()),
  ]);
}

function getCommands(kay: Kay, pending: PendingRequest): string[] {
  const card = toCard(pending);
  return card ? getAnswerCommands(kay, card) : [];
}

function expiresIn(ms: number): string {
  if (Number.isNaN(ms)) return "";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

const KINDS = { approval: "approval", input: "form", auth: "connect" };
