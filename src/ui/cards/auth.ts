import type { AuthNeeded } from "#protocol/interactions";
import type { Key } from "../keys/key.ts";
import {
  type AnyCard,
  type CardAction,
  type CardStep,
  type CardUiBase,
  FRESH_CARD_UI,
  getCommandKey,
} from "./card-action.ts";

/** State of a card with services to connect. */
export type AuthUi = CardUiBase & { type: "auth" };

/**
 * State of each service's link by service name; a service without a link is waiting. `host` is the link's host;
 * `message` says why it failed or which account is connected.
 */
export type AuthLinks = Record<string, AuthLink>;

export type AuthLink = { state: "waiting" | "opening" | "connected" | "failed"; host?: string; message?: string };

export const INITIAL_AUTH: AuthUi = { ...FRESH_CARD_UI, type: "auth" };

/** Whether the card was opened here by `/connect`, so that no generation depends on it. */
export function isLocalAuth({ generation_id }: AuthNeeded): boolean {
  return generation_id === "";
}

/** Whether a text is a redirect address of this machine. It has a secret code, so it is never sent as a message. */
export function isCallbackAddress(text: string): boolean {
  return /^(?:https?:\/\/)?(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?\/\S*\?\S*\bstate=/i.test(
    text.replaceAll(/[\s"'<>`]/g, ""),
  );
}

/** Whether a card asks to connect services. */
export function isAuthCard(card: AnyCard): boolean {
  return card.kind === "card" && card.type === "auth";
}

/** Applies a key to a connection card. */
export function updateAuth(ui: AuthUi, auth: AuthNeeded, key: Key): CardStep<AuthUi> {
  const act = toCardAction(key, listAuthServices(auth));
  if (!act || (act.do === "without" && isLocalAuth(auth))) return { ui };
  const isEnd = act.do === "cancel request" || act.do === "without";
  return { ui: { ...ui, error: undefined, sent: isEnd }, act };
}

/** Lists the services of a card, in the order of their numbers. */
export function listAuthServices({ integrations }: AuthNeeded): string[] {
  return [...new Set(integrations)];
}

function toCardAction(key: Key, services: string[]): CardAction | undefined {
  const service = services.length > 1 ? services[Number(getCommandKey(key)) - 1] : undefined;
  if (service !== undefined) return { do: "connect", service };
  if (key.name === "enter") return { do: "connect" };
  if (key.name === "escape") return { do: "cancel request" };
  switch (getCommandKey(key)) {
    case "o":
      return { do: "open" };
    case "c":
      return { do: "copy" };
    case "q":
      return { do: "qr" };
    case "s":
      return { do: "without" };
    default:
      return undefined;
  }
}
