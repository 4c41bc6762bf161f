import type { InteractionAnswer } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { isLocalAuth } from "#ui/cards/auth";
import type { AnyCard, CardAction, ConfirmCard } from "#ui/cards/update-card";
import type { SessionEffect, SessionEvent } from "#ui/session/events";
import { toLine } from "#ui/text/words";
import { declineAuth, sendAnswer } from "../ask/prompt-for-card.ts";
import type { BackendHandle } from "../backend/handle.ts";
import { joinLinks } from "../consent/waiting-line.ts";
import type { Kay } from "../kay.ts";
import { formatNotification } from "../terminal/known-terminals.ts";
import type { AuthCard, AuthConnector } from "./auth-connector.ts";
import type { ConversationClient } from "./conversation-client.ts";
import { formatFault } from "./format-fault.ts";
import type { SessionClient } from "./session-options.ts";

/** Ports of a session's effects. */
export type EffectPorts = {
  kay: Kay;
  link: BackendHandle;
  client: SessionClient;
  conversation: ConversationClient;
  connector: AuthConnector;
  dispatch(event: SessionEvent): void;
  /** Prints finished text to the scrollback. */
  say(text: string): void;
  /** Reports a card that is no longer open. */
  closeCard(card: string): void;
  getConversationId(): string | undefined;
  /** Handles the answer to a local card: a question of a command, or a confirmation of the backend. */
  decideCard(card: ConfirmCard, yes: boolean): Promise<void>;
  /** Handles the answer to a form of a slash command; returns false for other cards. */
  submitForm(card: string, answer: InteractionAnswer): boolean;
  slash(line: string): Promise<void>;
  /** Handles the choice from a list. */
  submitPick(id: string, values: string[] | null): void;
  /** Lends the terminal to another program. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Writes an invisible sequence: the clipboard, a notification. */
  writeHidden(sequence: string): void;
  remember(text: string): void;
  suspend(): void;
  clearWindow(): void;
  expand(): void;
  help(): void;
  visit(): Promise<void>;
  leave(): void;
};

/** Runs an effect of the session. An error becomes a sentence in the transcript and never ends the session. */
export function createEffectRunner(ports: EffectPorts): (effect: SessionEffect) => void {
  const { say } = ports;
  return (effect) => {
    const work = perform(ports, effect);
    work?.catch((error: unknown) => {
      if (!ports.kay.signal.aborted) say(formatFault(error));
    });
  };
}

function perform(ports: EffectPorts, effect: SessionEffect): Promise<void> | undefined {
  switch (effect.do) {
    case "send":
      return send(ports, effect.text);
    case "slash":
      return ports.slash(effect.line);
    case "cancel":
      return cancel(ports, effect.generation);
    case "opened":
      return open(ports, effect.card, effect.unseen);
    case "closed":
      ports.closeCard(effect.card);
      return;
    case "act":
      return runCardAction(ports, effect.card, effect.act);
    case "edit":
      return edit(ports, effect.of, effect.text);
    case "picked":
      return void ports.submitPick(effect.id, effect.values);
    case "remember":
      return void ports.remember(effect.text);
    case "extend":
      return extend(ports, effect.card);
    case "say":
      return void ports.say(effect.text);
    case "wait":
      return waitForTick(ports, effect.ms);
    case "visit":
      return ports.visit();
    default:
      return void ports[effect.do]();
  }
}

/** Lets pending keys arrive first, because a busy process runs timers before it reads. */
async function waitForTick({ kay: { clock, signal }, dispatch }: EffectPorts, ms: number): Promise<void> {
  await clock.sleep(ms, signal);
  setImmediate(() => dispatch({ type: "tick", at: clock.now() }));
}

/**
 * A prompt that is not accepted returns to the draft, so no typed text is lost. Without a sign-in, the user chooses a
 * service first.
 */
async function send({ conversation, dispatch, say, slash }: EffectPorts, text: string): Promise<void> {
  try {
    await conversation.send(text);
    dispatch({ type: "sent" });
  } catch (error) {
    const isKnown = !(error instanceof Problem) || error.code !== "OUTCOME_UNKNOWN";
    dispatch({ type: "sent", ...(isKnown ? { back: text } : {}) });
    if (!(error instanceof Problem) || error.code !== "NOT_SIGNED_IN") throw error;
    say(`${toLine(error.message)} Connect a service, then press Enter to send your request.`);
    await slash("/connect");
  }
}

/** Requests more time. If that fails, the card keeps its deadline. */
async function extend({ link, getConversationId }: EffectPorts, card: string): Promise<void> {
  await link.api.extendInteraction(getConversationId() ?? "", card).catch(() => {});
}

async function cancel({ link, dispatch }: EffectPorts, generation: string): Promise<void> {
  try {
    await link.api.cancelGeneration(generation);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "GENERATION_CLOSED") throw error;
  } finally {
    dispatch({ type: "cancelled" });
  }
}

/** Describes a card for a notification, which may be visible on a locked screen: without the text of the request. */
function describeCard(card: AnyCard): string {
  if (card.kind !== "card") return "kay needs your decision.";
  if (card.type === "auth") return `kay needs a connection: ${card.auth.integrations.map(toLine).join(", ")}.`;
  return `${toLine(card.request.tool_name)} needs ${card.type === "approval" ? "your approval" : "your input"}.`;
}

/** Notifies of a new card, unless this terminal only watches. */
async function open(
  { kay, connector, writeHidden, client }: EffectPorts,
  card: AnyCard,
  unseen: boolean,
): Promise<void> {
  if (isOthers(card) && !client.interaction.enabled) return;
  if (unseen && (await kay.settings()).text("notify") !== "off")
    writeHidden(formatNotification(kay.env, describeCard(card)));
  if (card.kind === "card" && card.type === "auth") await connector.prepare(card);
}

async function runCardAction(ports: EffectPorts, card: AnyCard, action: CardAction): Promise<void> {
  if (action.do === "edit") return edit(ports, card.id, action.text);
  if (card.kind === "card" && card.type === "auth") return connect(ports, card, action);
  if (action.do === "open" || action.do === "copy") return visit(ports, card, action.do);
  if (action.do !== "answer") return;
  if (card.kind === "confirmation") return ports.decideCard(card, action.answer.action === "approve");
  if (card.kind === "plan") return;
  if (ports.submitForm(card.id, action.answer)) return;
  const { link, client, dispatch } = ports;
  try {
    await sendAnswer(link, card, action.answer, { session: ports.getConversationId() ?? "", client: client.id });
  } catch (error) {
    dispatch({
      type: "refused",
      card: card.id,
      error: error instanceof Problem ? toLine(error.message) : "It was not accepted.",
    });
    // The first answer arrives with the conversation; other errors are reported here.
    if (!(error instanceof Problem)) throw error;
  }
}

/** Opens a service's address at the user's request. Sends nothing of kay along. */
async function visit(
  { kay, dispatch, say, writeHidden }: EffectPorts,
  card: AnyCard,
  mode: "open" | "copy",
): Promise<void> {
  const url = card.kind === "card" && card.type === "form" ? card.request.link : undefined;
  if (url === undefined) return;
  if (mode === "copy") return say(await kay.copy("the link", url, writeHidden));
  const plan = await kay.planBrowser(url);
  const reason =
    "reason" in plan ? plan.reason : (await kay.openBrowser(plan)) ? undefined : "Could not open a browser.";
  if (reason !== undefined) dispatch({ type: "refused", card: card.id, error: `${reason} Open the link yourself.` });
}

/** A refused answer leaves the card open. */
async function connect(ports: EffectPorts, card: AuthCard, action: CardAction): Promise<void> {
  try {
    await connectAct(ports, card, action);
  } catch (error) {
    const reason = error instanceof Problem ? toLine(error.message) : "It was not accepted.";
    ports.dispatch({ type: "refused", card: card.id, error: reason });
    if (!(error instanceof Problem)) throw error;
  }
}

async function connectAct(ports: EffectPorts, card: AuthCard, action: CardAction): Promise<void> {
  const { kay, connector, say, writeHidden } = ports;
  switch (action.do) {
    case "connect":
      await connector.prepare(card, action.service);
      return connector.open(card, action.service);
    case "open":
      return connector.open(card);
    case "copy":
      return say(await kay.copy(...joinLinks(connector.urls(card)), writeHidden));
    case "qr": {
      const { formatQr } = await import("../consent/qr.ts");
      for (const url of connector.urls(card)) say(await formatQr(url, kay.terminal.stdout));
      return;
    }
    case "paste":
      await connector.paste(card, action.text);
      return say("Address accepted.");
    case "without":
      return sayNo(ports, card, true);
    case "cancel request":
      if (!isLocalAuth(card.auth)) return sayNo(ports, card, false);
      say("Stopped waiting.");
      return ports.dispatch({ type: "local-ended", id: card.id });
    default:
  }
}

/** One denial covers all missing services: the request is canceled, or continues without them. */
async function sayNo({ link, client }: EffectPorts, card: AuthCard, go_on: boolean): Promise<void> {
  await declineAuth(link, card, { client: client.id, go_on });
}

/** Whether a card belongs to the conversation, not only to this terminal. */
function isOthers(card: AnyCard): boolean {
  return card.kind === "card" && !(card.type === "auth" && isLocalAuth(card.auth));
}

async function edit({ kay, lend, dispatch, say }: EffectPorts, of: string, text: string): Promise<void> {
  const edited = await lend(() => kay.editText(text, { usual: true }));
  if (edited === null) say("The editor failed, so nothing was changed. Set EDITOR to an editor, such as nano.");
  dispatch({ type: "edited", of, text: edited });
}
