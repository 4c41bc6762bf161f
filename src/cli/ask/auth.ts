import type { BegunConnection } from "#client/credentials/credentials";
import { Problem } from "#protocol/errors";
import { formatAuth, formatTimeLeft, listMissingServices, toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import { beginConnection, completeConsent, showLink } from "../consent/connection.ts";
import { openLinks } from "../consent/open-links.ts";
import type { Kay } from "../kay.ts";
import { promptLine, writeNotice } from "../prompt/line.ts";

/**
 * Connects the services that a generation waits for: prints all links, waits for each, and reports each connection, so
 * that the generation continues. A service connected elsewhere meanwhile ends its wait.
 * @throws Problem INTERACTION_CLOSED when the wait was ended elsewhere, INPUT_REQUIRED where nothing can be connected
 */
export async function connectMissing(
  kay: Kay,
  link: BackendHandle,
  asked: OpenCard<AuthCard>,
  sayNo: (card: AuthCard) => Promise<void>,
): Promise<void> {
  writeNotice(kay, `\n${formatAuth(asked.card().auth)}\n`);
  if (link.usesEnvironmentToken)
    throw new Problem("INPUT_REQUIRED", "Services cannot be connected while KAY_TOKEN is set.");
  for (;;) {
    const failed = await connectAll(kay, link, asked, sayNo);
    if (failed.length === 0) return;
    const names = failed.map(toLine).join(", ");
    const typed = await promptLine(kay, `Press Enter to retry ${names}, or c to cancel the request: `, asked.signal);
    if (typed.toLowerCase() === "c") return sayNo(asked.card());
  }
}

/** Reports a connection to the backend. It is not a fault if the backend knows it already or no longer waits. */
export async function reportConnected(link: BackendHandle, generation: string, service: string): Promise<void> {
  try {
    await link.api.answerAuth(generation, { integration: service, success: true });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "GENERATION_CLOSED") throw error;
  }
}

/** @returns the services that could not be connected */
async function connectAll(
  kay: Kay,
  link: BackendHandle,
  asked: OpenCard<AuthCard>,
  sayNo: (card: AuthCard) => Promise<void>,
): Promise<string[]> {
  const begun: BegunConnection[] = [];
  for (const service of listMissingServices(asked.card().auth)) begun.push(await beginConnection(kay, link, service));
  for (const { response } of begun) showLink(kay, response);
  await openLinks(kay, begun.map(getUrl));
  const board = showConsentProgress(kay, asked, begun, () => sayNo(asked.card()));
  try {
    const ends = await Promise.allSettled(begun.map((one) => connectOne(kay, link, { one, asked, board })));
    const isDone = ends.every(({ status }) => status === "fulfilled");
    if (asked.signal.aborted && !isDone) throw new Problem("INTERACTION_CLOSED", "It was answered elsewhere.");
    const { connected } = asked.card().auth;
    return ends.flatMap((end, index) => {
      const service = begun[index]?.response.service ?? "";
      if (end.status === "fulfilled" || connected.includes(service)) return [];
      if (!(end.reason instanceof Problem) || kay.signal.aborted) throw end.reason;
      writeNotice(kay, `✗ ${end.reason.message}`);
      return [service];
    });
  } finally {
    board.end();
  }
}

type One = { one: BegunConnection; asked: OpenCard<AuthCard>; board: ConsentProgress };

async function connectOne(kay: Kay, link: BackendHandle, { one, asked, board }: One): Promise<void> {
  const { service } = one.response;
  const signal = AbortSignal.any([kay.signal, asked.signal, board.elsewhere(service)]);
  const { message } = await completeConsent(kay, link, one, { retrying: board.retrying }, signal);
  board.tick(service);
  kay.out.writeProgress(`${kay.out.paint("green", "✓", "stderr")} ${message}`);
  await reportConnected(link, asked.card().auth.generation_id, service);
}

const TICK_MS = 1_000;

/** The line that tells which services are waited for: `slack ✓, gmail …  9:41 left`. */
type ConsentProgress = {
  /** A service is connected from here. */
  tick(service: string): void;
  /** Aborts when another terminal has connected this service. */
  elsewhere(service: string): AbortSignal;
  retrying(): void;
  end(): void;
};

/** Show the board; `o` opens what is missing again, `x` cancels the request. */
function showConsentProgress(
  kay: Kay,
  asked: OpenCard<AuthCard>,
  begun: BegunConnection[],
  cancel: () => Promise<void>,
): ConsentProgress {
  const services = begun.map(({ response }) => response.service);
  const connected = new Set<string>();
  const elsewhere = new Map(services.map((service) => [service, new AbortController()]));
  const over = new AbortController();
  let note = "";
  let told = "";
  const draw = () => {
    if (kay.flags.plain) {
      const waiting = services
        .filter((service) => !connected.has(service))
        .map(toLine)
        .join(", ");
      if (waiting !== told && waiting !== "")
        kay.out.writeProgress(`Waiting until ${waiting} is connected. Ctrl+C cancels it.`);
      told = waiting;
      return;
    }
    const left = Math.min(...begun.map(({ deadline }) => deadline)) - kay.clock.now();
    const words = services.map((service) => `${toLine(service)} ${connected.has(service) ? "✓" : "…"}`).join(", ");
    const text = `Waiting: ${words}  ${formatTimeLeft(left)} left${note} · o open  x cancel`;
    if (kay.terminal.stderr.isTerminal && !over.signal.aborted)
      kay.out.setStatusLine(text.slice(0, kay.terminal.stderr.columns() - 1));
  };
  const look = () => {
    for (const service of asked.card().auth.connected) {
      if (!elsewhere.has(service) || connected.has(service)) continue;
      connected.add(service);
      elsewhere.get(service)?.abort();
      kay.out.writeProgress(`${toLine(service)} was connected elsewhere.`);
    }
    draw();
  };
  const press = (key: string) => {
    if (key === "x") void cancel().catch(() => {});
    const missing = begun.filter(({ response }) => !connected.has(response.service));
    if (key === "o") void openLinks(kay, missing.map(getUrl));
  };
  const releaseKeys = kay.terminal.stdin.isTerminal && kay.flags.input ? kay.terminal.stdin.keys(press) : () => {};
  void repeatEverySecond(kay, look, over.signal);
  return {
    tick: (service) => {
      connected.add(service);
      draw();
    },
    elsewhere: (service) => (elsewhere.get(service) ?? over).signal,
    retrying: () => {
      note = " · no answer, retrying";
    },
    end: () => {
      if (over.signal.aborted) return;
      over.abort();
      releaseKeys();
      kay.out.setStatusLine(null);
    },
  };
}

/** Look once a second. */
export async function repeatEverySecond(kay: Kay, look: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    look();
    await kay.clock.sleep(TICK_MS, signal).catch(() => {});
  }
}

function getUrl({ response }: BegunConnection): string {
  return response.authorization_url;
}

export type AuthCard = Extract<CardItem, { type: "auth" }>;

/** A card as it is now, and what ends the question for it. */
export type OpenCard<Card extends CardItem = CardItem> = { card(): Card; signal: AbortSignal };
