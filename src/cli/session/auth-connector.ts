import type { BegunConnection } from "#client/credentials/credentials";
import { Problem } from "#protocol/errors";
import type { AuthLink, AuthLinks } from "#ui/cards/auth";
import { listMissingServices, toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import { beginConnection, completeConsent, isConcluded } from "../consent/connection.ts";
import { explainTunnel, openLinks } from "../consent/open-links.ts";
import { explainPaste, takePastedAddress } from "../consent/pasted-address.ts";
import type { Kay } from "../kay.ts";
import { formatFault } from "./format-fault.ts";

export type AuthCard = Extract<CardItem, { type: "auth" }>;

/** Events that the connector sends to the session. */
export type AuthListener = {
  say(text: string): void;
  /** The state of the services of a card. */
  links(card: string, links: AuthLinks): void;
  /** Reports an unknown service. */
  onUnknown(card: AuthCard, service: string, error: Problem): void;
  /** Reports a service that was connected from this terminal. */
  onConnected(card: AuthCard, service: string): void;
  /** Returns the chosen site of a service with several; undefined without a choice. */
  getSite(card: string): string | undefined;
};

/**
 * Connects the services of connection cards. Prints the links when a card opens, and waits from then on, so that links
 * opened by hand count. Each wait ends with its card, or when the link expires after ten minutes.
 */
export type AuthConnector = {
  /** Gets and prints the links of the missing services. A failed service gets a new link. */
  prepare(card: AuthCard, only?: string): Promise<void>;
  /** Opens the pending links in a browser. */
  open(card: AuthCard, only?: string): Promise<void>;
  /** Finishes a consent with an address that a browser could not open. @throws Problem USAGE for another text */
  paste(card: AuthCard, text: string): Promise<void>;
  /** The pending links. */
  urls(card: AuthCard): string[];
  /** Ends the card. If its services are connected, the pending connections of this terminal are still reported. */
  close(card: string, outcome: "connected" | "given up"): void;
};

type PendingConnection = { begun: BegunConnection; over: AbortController };
type CardState = { links: AuthLinks; waiting: Map<string, PendingConnection> };

/** Creates the {@link AuthConnector} of a session. */
export function createAuthConnector(kay: Kay, link: BackendHandle, listener: AuthListener): AuthConnector {
  const desks = new Map<string, CardState>();
  const getDesk = (card: AuthCard): CardState => {
    const desk = desks.get(card.id) ?? { links: {}, waiting: new Map() };
    desks.set(card.id, desk);
    return desk;
  };
  const tell = (card: AuthCard, service: string, state: AuthLink) => {
    const desk = desks.get(card.id);
    if (!desk) return;
    desk.links = { ...desk.links, [service]: state };
    listener.links(card.id, desk.links);
  };
  const start = async (card: AuthCard, service: string) => {
    const desk = getDesk(card);
    tell(card, service, { state: "opening" });
    try {
      const attempt = await beginConnection(kay, link, service, listener.getSite(card.id));
      if (!desks.has(card.id)) return;
      const controller = new AbortController();
      desk.waiting.set(service, { begun: attempt, over: controller });
      const url = attempt.response.authorization_url;
      if (!isConcluded(attempt.response)) {
        listener.say(`To connect ${toLine(service)}:\n${url}`);
        tell(card, service, { state: "waiting", host: new URL(url).host });
      }
      void wait(card, service, { begun: attempt, over: controller });
    } catch (error) {
      if (error instanceof Problem && error.code === "UNKNOWN_SERVICE") listener.onUnknown(card, service, error);
      tell(card, service, { state: "failed", message: toSentence(error) });
    }
  };
  const wait = async (card: AuthCard, service: string, { begun, over }: PendingConnection) => {
    const host = new URL(begun.response.authorization_url).host;
    const reportRetry = () => tell(card, service, { state: "waiting", host, message: "no answer, retrying" });
    try {
      const { message } = await completeConsent(
        kay,
        link,
        begun,
        { retrying: reportRetry },
        AbortSignal.any([kay.signal, over.signal]),
      );
      tell(card, service, { state: "connected", message });
      listener.say(`✓ ${message}`);
      listener.onConnected(card, service);
    } catch (error) {
      if (over.signal.aborted || kay.signal.aborted) return;
      tell(card, service, { state: "failed", message: toSentence(error) });
      if (error instanceof Problem && error.code === "SITE_REQUIRED") listener.say(formatFault(error));
    } finally {
      desks.get(card.id)?.waiting.delete(service);
    }
  };
  return {
    prepare: async (card, only) => {
      const { links } = getDesk(card);
      const fresh = listMissingServices(card.auth).filter(
        (service) =>
          (only === undefined || service === only) &&
          (links[service] === undefined || links[service].state === "failed"),
      );
      for (const service of fresh) await start(card, service);
      const urls = getUrls(desks.get(card.id));
      const [url] = fresh.length > 0 ? urls : [];
      if (url !== undefined && "reason" in (await kay.planBrowser(url))) {
        const help = [...explainTunnel(kay, urls), ...explainPaste(kay, urls)];
        if (help.length > 0) listener.say(help.join("\n"));
      }
    },
    open: async (card, only) => {
      await openLinks(kay, getUrls(desks.get(card.id), only), listener.say);
    },
    paste: async (card, text) => {
      const attempts = [...(desks.get(card.id)?.waiting.values() ?? [])].map(({ begun }) => begun);
      await takePastedAddress(kay, link, attempts, text);
    },
    urls: (card) => getUrls(desks.get(card.id)),
    close: (card, outcome) => {
      if (outcome === "given up") for (const { over } of desks.get(card)?.waiting.values() ?? []) over.abort();
      desks.delete(card);
    },
  };
}

function getUrls(desk: CardState | undefined, only?: string): string[] {
  return [...(desk?.waiting ?? [])]
    .filter(([service]) => only === undefined || service === only)
    .map(([, { begun }]) => begun.response.authorization_url);
}

function toSentence(error: unknown): string {
  return error instanceof Problem ? toLine(error.message) : "It could not be connected.";
}
