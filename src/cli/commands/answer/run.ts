import { toUnknownOutcome } from "#client/api/follow";
import type { PendingRequest } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { listMissingServices, toLine } from "#ui/text/words";
import { type CardItem, listOpenCards, type View } from "#ui/view/view";
import type { AuthCard } from "../../ask/auth.ts";
import { reportConnected } from "../../ask/auth.ts";
import { cancelGeneration, getCancelGraceMs } from "../../ask/cancel.ts";
import { withPartialAnswer } from "../../ask/document.ts";
import { finishAsk } from "../../ask/finish.ts";
import { followGeneration, takeUntilEnd } from "../../ask/follow.ts";
import { getAnswerCommands } from "../../ask/pending-items.ts";
import { createTextPresenter, SILENT_PRESENTER } from "../../ask/presenter.ts";
import { declineAuth, formatClosedCard, sendAnswer } from "../../ask/prompt-for-card.ts";
import { findById } from "../../backend/find-by-id.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import { EXIT, type ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import { canPick, missingArgumentProblem } from "../../prompt/pick.ts";
import { canPrompt } from "../../prompt/question.ts";
import { showAnswerLink } from "../pending/link.ts";
import { formatRequest, listPendingRequests, pickRequest, toCard } from "../pending/list.ts";
import { type AnswerOptions, parseAnswerOptions } from "./options.ts";

/** Name that other clients see for this command. */
const CLIENT = "kay answer";

/**
 * Runs `kay answer [id]`: sends the answer, then follows the request until it ends or stops at the next open request.
 */
export async function runAnswer(kay: Kay, id: string | undefined, options: AnswerOptions): Promise<ExitCode> {
  if (id === undefined && !canPick(kay)) throw missingArgumentProblem("answer", "id");
  const link = await kay.openBackend({ signedIn: true });
  const target = id ?? (await pickRequest(kay, await listPendingRequests(link)));
  if (target === undefined) return EXIT.ok;
  const { pending, card } = await find(link, target);
  if (options.link) {
    await showAnswerLink(kay, link, pending.id);
    return EXIT.ok;
  }
  const { last_event: lastEvent } = await link.api.session(pending.session_id);
  const answer = parseAnswerOptions(card, options);
  const refused = answer !== undefined && answer.action !== "approve" && answer.action !== "submit";
  const isGiven = answer !== undefined || (await answerWithoutCard(kay, link, card));
  if (answer && card.type === "auth") await declineAuth(link, card, { client: CLIENT });
  else if (answer) await sendAnswer(link, card, answer, { session: pending.session_id, client: CLIENT });
  return showRest(kay, link, { session: pending.session_id, lastEvent, refused, isGiven });
}

async function find(link: BackendHandle, id: string): Promise<{ pending: PendingRequest; card: CardItem }> {
  const open = await listPendingRequests(link);
  const pending = findById(id, open, formatRequest) ?? (await findUnlessClosed(link, id));
  const card = pending && toCard(pending);
  if (pending && card) return { pending, card };
  throw new Problem("INTERACTION_NOT_FOUND", `No open request has the ID ${JSON.stringify(toLine(id))}.`);
}

/**
 * Returns the request if it is still open, or null if it is unknown.
 *
 * @throws Problem INTERACTION_CLOSED when another client has answered it
 */
async function findUnlessClosed(link: BackendHandle, id: string): Promise<PendingRequest | null> {
  try {
    return await link.api.pendingRequest(id);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "INTERACTION_NOT_FOUND") return null;
    if (error.code !== "INTERACTION_CLOSED") throw error;
    throw new Problem(error.code, formatClosedCard({ type: id.startsWith("gen_") ? "auth" : "approval" }, error), {
      details: error.details,
      hint: error.hint,
    });
  }
}

/**
 * Returns whether the request needs no answer because its services are connected now. False means that kay can prompt.
 *
 * @throws Problem AUTH_REQUIRED or INPUT_REQUIRED when kay cannot prompt
 */
async function answerWithoutCard(kay: Kay, link: BackendHandle, card: CardItem): Promise<boolean> {
  if (card.type === "auth") {
    const missing = await tellThoseConnected(kay, link, card);
    if (missing.length === 0) return true;
    if (mayAsk(kay)) return false;
    const connect = `kay connect ${missing.map(quoteShellWord).join(" ")}`;
    throw new Problem("AUTH_REQUIRED", `Not connected: ${missing.map(toLine).join(", ")}.`, {
      hint: `Run \`${connect}\`, then \`kay answer ${quoteShellWord(card.id)}\`.`,
      details: { integrations: missing },
    });
  }
  if (mayAsk(kay)) return false;
  const [first = "", ...rest] = getAnswerCommands(kay, card);
  throw new Problem("INPUT_REQUIRED", "Cannot prompt for an answer here. Pass one as an option.", {
    hint: `For example: \`${first}\` or \`${rest.at(-1)}\`.`,
  });
}

async function tellThoseConnected(kay: Kay, link: BackendHandle, { auth }: AuthCard): Promise<string[]> {
  const { connections } = await link.api.connections({ signal: kay.signal });
  const missing = listMissingServices(auth);
  const connected = missing.filter((service) => Object.hasOwn(connections, service) && connections[service]?.connected);
  for (const service of connected) await reportConnected(link, auth.generation_id, service);
  return missing.filter((service) => !connected.includes(service));
}

type ContinuedWork = { session: string; lastEvent: number; refused: boolean; isGiven: boolean };

async function showRest(
  kay: Kay,
  link: BackendHandle,
  { session, lastEvent, refused, isGiven }: ContinuedWork,
): Promise<ExitCode> {
  let view: View | undefined;
  const leaving = new AbortController();
  const signal = AbortSignal.any([kay.signal, leaving.signal]);
  const { writeProgress: note, warn } = kay.out;
  kay.shutdownGraceMs = getCancelGraceMs(kay);
  try {
    const result = await followGeneration(kay, link, {
      parts: takeUntilEnd(link.api.events(session, { signal, note, warn }), lastEvent),
      show: kay.flags.json ? SILENT_PRESENTER : createTextPresenter(kay),
      askable: mayAsk(kay),
      client: CLIENT,
      lastShown: lastEvent,
      asksOpen: !isGiven,
      onView: (now) => {
        view = now;
      },
    });
    return await finishAsk(kay, result, { lines: false, refused });
  } catch (error) {
    // A signal that ends only the display of an open request does not cancel the request.
    if (kay.signal.aborted && view && listOpenCards(view).length === 0)
      throw withPartialAnswer(await cancelGeneration(kay, link, view, error), view);
    if (kay.signal.aborted || !isGiven) throw error;
    // The answer was accepted, so the work continues unseen.
    throw withPartialAnswer(toUnknownOutcome(error, { sessionId: session, last: view?.last ?? lastEvent }), view);
  } finally {
    leaving.abort();
  }
}

function mayAsk(kay: Kay): boolean {
  return !kay.flags.json && canPrompt(kay);
}
