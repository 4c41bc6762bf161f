import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import type { PickerPlace } from "#ui/picker/picker";
import { truncateCells } from "#ui/screen/cells";
import type { BackendHandle } from "../../backend/handle.ts";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import { canPick } from "../../prompt/pick.ts";
import { runAnswer } from "../answer/run.ts";
import {
  listPendingRequests,
  NOTHING_PENDING_TEXT,
  PENDING_COLUMNS,
  pickRequest,
  toPendingDocument,
  toPendingRows,
} from "./list.ts";

/** Runs `kay pending`: lists the open requests. On a terminal the user may choose one to answer. */
export async function showPending(kay: Kay): Promise<ExitCode | undefined> {
  const pending = await listPendingRequests(await kay.openBackend({ signedIn: true }));
  if (kay.flags.json) {
    kay.out.writeJson({ pending: pending.map((request) => toPendingDocument(kay, request)) });
    return undefined;
  }
  if (pending.length === 0) {
    kay.out.writeProgress(NOTHING_PENDING_TEXT);
    return undefined;
  }
  const target = kay.terminal.stdout.isTerminal && canPick(kay) ? await pickRequest(kay, pending) : undefined;
  if (target !== undefined) return runAnswer(kay, target, { field: [] });
  await kay.out.writeTable(PENDING_COLUMNS, toPendingRows(kay, pending));
  kay.out.writeProgress("Answer one with `kay answer <id>`.");
  return undefined;
}

/** Pause between two checks of the open requests, in ms. */
const LOOK_MS = 2_000;

/**
 * Runs `kay inbox`: shows open requests, newest first, until it is stopped. On a terminal the user opens and answers
 * them; elsewhere each new one is a line.
 */
export async function watchPending(kay: Kay): Promise<ExitCode> {
  const link = await kay.openBackend({ signedIn: true });
  // Fails now if the backend does not answer; later outages are ignored.
  await listPendingRequests(link);
  if (!kay.terminal.stdout.isTerminal || !canPick(kay)) return await printNew(kay, link);
  const place: PickerPlace = { filter: "" };
  for (;;) {
    const pending = await listNewest(link).catch(ignoreOutage);
    if (pending === undefined || pending.length === 0) {
      const text = pending ? "No open requests. Waiting for one…" : "The backend does not answer. Trying again…";
      const line = truncateCells(`${text} (Ctrl+C quits)`, kay.terminal.stderr.columns() - 1);
      kay.out.setStatusLine(kay.out.paint("dim", line, "stderr"));
      await pause(kay);
      continue;
    }
    kay.out.setStatusLine(null);
    const pick = await pickUntilChange(kay, link, pending, place);
    if (pick === null) return EXIT.ok;
    if (pick !== undefined) await answerOne(kay, pick);
  }
}

/** Answers one request. Reports a failure, and returns to the list. */
async function answerOne(kay: Kay, id: string): Promise<void> {
  try {
    await runAnswer(kay, id, { field: [] });
  } catch (error) {
    if (!(error instanceof Problem) || kay.signal.aborted) throw error;
    kay.out.warn(error.message);
  }
}

/**
 * Shows the list until the user chooses one. Returns null if the user leaves, undefined if the open requests changed.
 */
async function pickUntilChange(
  kay: Kay,
  link: BackendHandle,
  pending: PendingRequest[],
  place: PickerPlace,
): Promise<string | undefined | null> {
  const [changed, controller] = [new AbortController(), new AbortController()];
  const ids = toKey(pending);
  const isSame = (requests: PendingRequest[]) => toKey(requests) === ids;
  const look = async () => {
    while (!controller.signal.aborted && isSame(await listNewest(link).catch(() => pending)))
      await kay.clock.sleep(LOOK_MS, AbortSignal.any([kay.signal, controller.signal])).catch(() => controller.abort());
    if (!controller.signal.aborted) changed.abort();
  };
  const looking = look();
  try {
    const pick = await pickRequest({ ...kay, signal: AbortSignal.any([kay.signal, changed.signal]) }, pending, place);
    return pick ?? (changed.signal.aborted ? undefined : null);
  } catch (error) {
    if (changed.signal.aborted && !kay.signal.aborted) return undefined;
    throw error;
  } finally {
    controller.abort();
    await looking;
  }
}

/** Prints each request once, as it opens. */
async function printNew(kay: Kay, link: BackendHandle): Promise<never> {
  const printed = new Set<string>();
  for (;;) {
    const pending = (await listPendingRequests(link).catch(ignoreOutage)) ?? [];
    const rows = toPendingRows(kay, pending);
    for (const [index, request] of pending.entries()) {
      if (printed.has(request.id)) continue;
      printed.add(request.id);
      if (kay.flags.json) kay.out.writeJsonLine(toPendingDocument(kay, request));
      else kay.out.writeLine((rows[index] ?? []).join("\t"));
    }
    await pause(kay);
  }
}

async function listNewest(link: BackendHandle): Promise<PendingRequest[]> {
  return (await listPendingRequests(link)).reverse();
}

/** Ignores the outage of a backend that restarts. */
function ignoreOutage(error: unknown): undefined {
  if (!(error instanceof Problem) || error.exit !== EXIT.unreachable) throw error;
}

function toKey(pending: PendingRequest[]): string {
  return pending.map(({ id }) => id).join(" ");
}

/** Waits for the next check. @throws Problem CANCELLED after a signal */
async function pause(kay: Kay): Promise<void> {
  await kay.clock.sleep(LOOK_MS, kay.signal).catch(() => {});
  if (!kay.signal.aborted) return;
  kay.out.setStatusLine(null);
  throw new Problem("CANCELLED", "Canceled.");
}
