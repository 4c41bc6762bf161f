import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { CardItem } from "#ui/view";
import { line } from "#ui/words";
import type { Kay, Link } from "../kay.ts";
import { answersOf } from "./script.ts";

/** Everything that waits for a person. @throws Problem NOT_FOUND where the backend has only what the guide has */
export async function allPending(link: Link): Promise<PendingRequest[]> {
  const pending = await link.api.pending();
  if (pending) return pending;
  throw new Problem("NOT_FOUND", "This backend keeps nothing open but confirmations.", {
    hint: "Answer those with `kay confirm <token>`.",
  });
}

/** What waits, as the card that it is. */
export function cardOf({ id, kind, generation_id, request, auth }: PendingRequest): CardItem | undefined {
  if (kind === "auth") return auth && { kind: "card", id, type: "auth", generation_id, auth };
  return request && { kind: "card", id, type: kind === "approval" ? "approval" : "form", generation_id, request };
}

/** `kay pending`. */
export async function showPending(kay: Kay): Promise<void> {
  const pending = await allPending(await kay.link({ signedIn: true }));
  if (kay.flags.json)
    return kay.out.json({ pending: pending.map((one) => ({ ...one, answer: commandsOf(kay, one) })) });
  if (pending.length === 0) return kay.out.note(NOTHING_PENDING);
  await kay.out.table(PENDING_COLUMNS, pendingRows(kay, pending));
  kay.out.note("Answer one with `kay answer <id>`.");
}

export const NOTHING_PENDING = "Nothing waits for an answer.";

export const PENDING_COLUMNS = ["ID", "KIND", "WHAT", "CONVERSATION", "EXPIRES IN"];

/** What waits, as rows of {@link PENDING_COLUMNS}. */
export function pendingRows(kay: Kay, pending: PendingRequest[]): string[][] {
  return pending.map((one) => [
    line(one.id),
    KINDS[one.kind],
    whatOf(one),
    line(one.title ?? one.session_id),
    expiresIn(Date.parse(one.expires_at) - kay.clock.now()),
  ]);
}

function commandsOf(kay: Kay, pending: PendingRequest): string[] {
  const card = cardOf(pending);
  return card ? answersOf(kay, card) : [];
}

function whatOf({ kind, request, auth }: PendingRequest): string {
  if (kind === "auth") return `connect ${(auth?.integrations ?? []).map(line).join(", ")}`;
  return line(request?.preview?.summary ?? request?.prompt ?? request?.tool_name ?? "");
}

function expiresIn(ms: number): string {
  if (Number.isNaN(ms)) return "";
  const seconds = Math.max(0, Math.round(ms / 1_000));
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const KINDS = { approval: "approval", input: "form", auth: "connect" };
