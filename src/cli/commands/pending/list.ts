import { getQuestion } from "#protocol/card-text";
import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { createIdShortener, shortenId } from "#protocol/short-id";
import type { PickerPlace } from "#ui/picker/picker";
import { toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import { getAnswerCommands } from "../../ask/pending-items.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { Kay } from "../../kay.ts";
import { pickSome } from "../../prompt/pick.ts";

/** Lists the open requests. @throws Problem NOT_FOUND when the backend has no API for them */
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

/**
 * Lets the user choose an open request. Returns undefined if there is none, or none is chosen.
 *
 * @param place see `pickSome`
 */
export async function pickRequest(
  kay: Kay,
  pending: PendingRequest[],
  place?: PickerPlace,
): Promise<string | undefined> {
  if (pending.length === 0) {
    kay.out.writeProgress(NOTHING_PENDING_TEXT);
    return undefined;
  }
  const rows = toPendingRows(kay, pending);
  const choices = pending.map((request, index) => {
    const [id = "", kind = "", summary = "", conversation = "", timeLeft = ""] = rows[index] ?? [];
    const note = [timeLeft && `${timeLeft} left`, kind, id, conversation].filter(Boolean).join(" · ");
    return { value: request.id, label: summary, note };
  });
  const [target] = (await pickSome(kay, "Which request do you want to answer?", choices, false, place)) ?? [];
  return target;
}

/** Describes in a few words what a request asks. */
export function formatRequest({ kind, request, auth }: PendingRequest): string {
  if (kind === "auth") return `connect ${(auth?.integrations ?? []).map(toLine).join(", ")}`;
  return toLine(getQuestion(request));
}

export const NOTHING_PENDING_TEXT = "No open requests.";

export const PENDING_COLUMNS = ["ID", "KIND", "WHAT", "CONVERSATION", "EXPIRES IN"];

/** Formats open requests as rows of {@link PENDING_COLUMNS}. */
export function toPendingRows(kay: Kay, pending: PendingRequest[]): string[][] {
  const shorten = createIdShortener(pending.map(({ id }) => id));
  return pending.map((request) => [
    toLine(shorten(request.id)),
    KINDS[request.kind],
    formatRequest(request),
    toLine(request.title ?? shortenId(request.session_id)),
    formatTimeUntil(Date.parse(request.expires_at) - kay.clock.now()),
  ]);
}

/** Converts an open request to its document, with the commands that answer it. */
export function toPendingDocument(kay: Kay, pending: PendingRequest) {
  const card = toCard(pending);
  return { ...pending, answer: card ? getAnswerCommands(kay, card) : [] };
}

function formatTimeUntil(ms: number): string {
  if (Number.isNaN(ms)) return "";
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return `${Math.max(0, Math.round(ms / 1_000))} s`;
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

const KINDS = { approval: "approval", input: "form", auth: "connect" };
