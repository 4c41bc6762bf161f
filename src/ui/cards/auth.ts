import type { AuthNeeded } from "#protocol/events";
import type { Key } from "../keys/key.ts";
import { type CardAction, type CardStep, type CardUiBase, FRESH_CARD_UI, getCommandKey } from "./card-action.ts";

/** Services that are to be connected. */
export type AuthUi = CardUiBase & { type: "auth" };

/**
 * Where the link of each service stands, by its name; a service without one waits. `host` is that of its link, `message` why it failed or
 * as whom it is connected.
 */
export type AuthLinks = Record<string, AuthLink>;

export type AuthLink = { state: "waiting" | "opening" | "connected" | "failed"; host?: string; message?: string };

export const INITIAL_AUTH: AuthUi = { ...FRESH_CARD_UI, type: "auth" };

/** Whether it was called up here, by `/connect`: it belongs to no generation, and nothing goes on without it. */
export function isLocalAuth({ generation_id }: AuthNeeded): boolean {
  return generation_id === "";
}

/** An auth card after a key that counts. */
export function updateAuth(ui: AuthUi, auth: AuthNeeded, key: Key): CardStep<AuthUi> {
  const act = getAct(key);
  if (!act || (act.do === "without" && isLocalAuth(auth))) return { ui };
  const isEnd = act.do === "cancel request" || act.do === "without";
  return { ui: { ...ui, told: undefined, sent: isEnd }, act };
}

function getAct(key: Key): CardAction | undefined {
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
