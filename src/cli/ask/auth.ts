import type { BegunConnection } from "#client/credentials/credentials";
import { Problem } from "#protocol/errors";
import { formatAuth, formatTimeLeft, listMissingServices, toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import { beginConnections, completeConsent } from "../consent/connection.ts";
import { showWaitLine } from "../consent/waiting-line.ts";
import type { Kay } from "../kay.ts";
import { promptLine, writeNotice } from "../prompt/question.ts";

/**
 * Connects the services that a generation waits for: prints all links, waits for each, and reports each connection, so
 * that the generation continues. A connection from elsewhere ends the wait for its service.
 *
 * @throws Problem INTERACTION_CLOSED if the wait ended elsewhere, INPUT_REQUIRED if nothing can be connected
 */
export async function connectMissing(
  kay: Kay,
  link: BackendHandle,
  openCard: OpenCard<AuthCard>,
  sayNo: (card: AuthCard) => Promise<void>,
): Promise<void> {
  writeNotice(kay, `\n${formatAuth(openCard.card().auth)}\n`);
  if (link.usesEnvironmentToken)
    throw new Problem("INPUT_REQUIRED", "Services cannot be connected while KAY_TOKEN is set.");
  for (;;) {
    const failures = await connectAll(kay, link, openCard, sayNo);
    if (failures.length === 0) return;
    const names = failures.map(toLine).join(", ");
    const reply = await promptLine(kay, `Press Enter to retry ${names}, or c to cancel the request: `, openCard.signal);
    if (["c", "\x1b"].includes(reply.toLowerCase())) return sayNo(openCard.card());
  }
}

/** Reports a connection to the backend. Ignores that the backend already knows it or no longer waits. */
export async function reportConnected(link: BackendHandle, generation: string, service: string): Promise<void> {
  try {
    await link.api.answerAuth(generation, { integration: service, success: true });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "GENERATION_CLOSED") throw error;
  }
}

/** Connects all missing services and returns those that failed. */
async function connectAll(
  kay: Kay,
  link: BackendHandle,
  openCard: OpenCard<AuthCard>,
  sayNo: (card: AuthCard) => Promise<void>,
): Promise<string[]> {
  const attempts = await beginConnections(kay, link, listMissingServices(openCard.card().auth));
  const board = showConsentProgress(kay, openCard, { link, begun: attempts, cancel: () => sayNo(openCard.card()) });
  try {
    const ends = await Promise.allSettled(
      attempts.map((connection) => connectOne(kay, link, { connection, openCard, board })),
    );
    const isDone = ends.every(({ status }) => status === "fulfilled");
    if (openCard.signal.aborted && !isDone) throw new Problem("INTERACTION_CLOSED", "It was answered elsewhere.");
    const { connected } = openCard.card().auth;
    board.end();
    return ends.flatMap((end, index) => {
      const service = attempts[index]?.response.service ?? "";
      if (end.status === "fulfilled" || connected.includes(service)) return [];
      if (!(end.reason instanceof Problem) || kay.signal.aborted) throw end.reason;
      writeNotice(kay, `✗ ${end.reason.message}`);
      return [service];
    });
  } finally {
    board.end();
  }
}

type ConnectionAttempt = { connection: BegunConnection; openCard: OpenCard<AuthCard>; board: ConsentProgress };

async function connectOne(
  kay: Kay,
  link: BackendHandle,
  { connection, openCard, board }: ConnectionAttempt,
): Promise<void> {
  const { service } = connection.response;
  const signal = AbortSignal.any([kay.signal, openCard.signal, board.elsewhere(service)]);
  const { message } = await completeConsent(kay, link, connection, { retrying: board.retrying }, signal);
  board.tick(service);
  kay.out.writeProgress(`${kay.out.paint("green", "✓", "stderr")} ${message}`);
  await reportConnected(link, openCard.card().auth.generation_id, service);
}

/** The status line of the missing services: `slack ✓, gmail …  9:41 left`. */
type ConsentProgress = {
  /** Marks a service as connected from this terminal. */
  tick(service: string): void;
  /** Returns a signal that aborts when another terminal has connected this service. */
  elsewhere(service: string): AbortSignal;
  retrying(): void;
  end(): void;
};

/** Shows the board. Escape cancels the request. */
function showConsentProgress(
  kay: Kay,
  card: OpenCard<AuthCard>,
  { link, begun, cancel }: { link: BackendHandle; begun: BegunConnection[]; cancel(): Promise<void> },
): ConsentProgress {
  const services = begun.map(({ response }) => response.service);
  const connected = new Set<string>();
  const elsewhere = new Map(services.map((service) => [service, new AbortController()]));
  const controller = new AbortController();
  let note = "";
  let lastNote = "";
  const format = (help: string) => {
    for (const service of card.card().auth.connected) {
      if (!elsewhere.has(service) || connected.has(service)) continue;
      connected.add(service);
      elsewhere.get(service)?.abort();
      kay.out.writeProgress(`${toLine(service)} was connected elsewhere.`);
    }
    if (kay.flags.plain) {
      const missing = services
        .filter((service) => !connected.has(service))
        .map(toLine)
        .join(", ");
      if (missing !== lastNote && missing !== "")
        kay.out.writeProgress(`Waiting for ${missing} to be connected. Press Ctrl+C to cancel.`);
      lastNote = missing;
      return null;
    }
    const leftMs = Math.min(...begun.map(({ deadline }) => deadline)) - kay.clock.now();
    const words = services.map((service) => `${toLine(service)} ${connected.has(service) ? "✓" : "…"}`).join(", ");
    const text = `Waiting: ${words}  ${formatTimeLeft(leftMs)} left${note}${help}`;
    return text.slice(0, kay.terminal.stderr.columns() - 1);
  };
  const line = showWaitLine(kay, format, {
    link,
    open: () => begun.filter(({ response }) => !connected.has(response.service)),
    cancel: () => void cancel().catch(() => {}),
  });
  return {
    tick: (service) => {
      connected.add(service);
      line.redraw();
    },
    elsewhere: (service) => (elsewhere.get(service) ?? controller).signal,
    retrying: () => {
      note = " · no answer, retrying";
    },
    end: () => {
      controller.abort();
      line.end();
    },
  };
}

export type AuthCard = Extract<CardItem, { type: "auth" }>;

/** A card in its current state, and the signal that ends its question. */
export type OpenCard<Card extends CardItem = CardItem> = { card(): Card; signal: AbortSignal };
