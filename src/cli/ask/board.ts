import type { BegunConnection } from "#client/credentials/credentials";
import { toLine } from "#ui/text/words";
import { formatTimeLeft } from "#ui/time-left";
import { openOrExplain } from "../consent/waiting-line.ts";
import type { Kay } from "../kay.ts";
import type { AuthCard, OpenCard } from "./auth.ts";

const TICK_MS = 1_000;

/** The line that tells which services are waited for: `slack ✓, gmail …  9:41 left`. */
export type ConsentProgress = {
  /** A service is connected from here. */
  tick(service: string): void;
  /** Ends when this service was connected by somebody else. */
  elsewhere(service: string): AbortSignal;
  retrying(): void;
  end(): void;
};

/** Show the board; `o` opens what is missing again, `x` cancels the request. */
export function showConsentProgress(
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
    if (key === "o") for (const { response } of missing) void openOrExplain(kay, response.authorization_url);
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
