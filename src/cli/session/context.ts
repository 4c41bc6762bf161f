import type { AskResponse } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { isLocalAuth } from "#ui/cards/auth";
import type { AnyCard } from "#ui/cards/update-card";
import { createPicker } from "#ui/picker/picker";
import type { SessionEvent } from "#ui/session/events";
import type { Session } from "#ui/session/state";
import { isBusy } from "#ui/session/turn";
import { formatToolCall } from "#ui/text/tool-call";
import { listMissingServices, toLine } from "#ui/text/words";
import type { ToolItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import { listAliases } from "../context/aliases.ts";
import type { Kay } from "../kay.ts";
import { type AuthCard, createAuthConnector } from "./auth-connector.ts";
import { loadCandidates } from "./candidates.ts";
import type { ConversationClient } from "./conversation-client.ts";
import { detachSession } from "./detach.ts";
import type { EffectPorts } from "./effects.ts";
import { formatFault } from "./format-fault.ts";
import { toConfirmCard, toParts } from "./guide-answers.ts";
import { connectCard, connectFromSession, formCard, questionCard } from "./local-cards.ts";
import type { SessionScreen } from "./screen.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SlashContext } from "./slash/command.ts";
import { parseSlash } from "./slash/read.ts";

/** Ports of a session's effects, and the parts that belong to this terminal alone. */
export type SessionContext = EffectPorts & {
  /** A backend without streams answered. */
  showAnswer(answer: AskResponse, prompt: string | null): void;
  end(): void;
};

export type SessionPorts = {
  kay: Kay;
  link: BackendHandle;
  talk: ConversationClient;
  stage: SessionScreen;
  options: SessionOptions;
  dispatch(event: SessionEvent): void;
  /** Drops parts of the conversation that have not been delivered yet. */
  forget(): void;
  now(): Session;
  /** The latest call and its effects. */
  newest(): ToolItem | undefined;
  /** The last answer as Markdown. */
  answer(): string;
  leave(reason?: "detached"): void;
};

/** How long a link of `/connect` is valid and a form of a slash command stays open, in ms. */
const LINK_MS = 10 * 60_000;
const FORM_MS = 24 * 60 * 60_000;

/** Build it. */
export function createSessionContext(ports: SessionPorts): SessionContext {
  const { kay, link, talk, stage, options, dispatch, now, leave } = ports;
  const say = (text: string) => {
    stage.say(`\n${text}`);
    stage.show(now(), "soon");
  };
  /** Callbacks for the end of a local card: whether it was confirmed, or whether the services are connected. */
  const waiting = new Map<string, (yes: boolean) => void>();
  /** Callbacks for forms of slash commands. */
  const filling = new Map<string, (values: Record<string, unknown> | null) => void>();
  const picking = new Map<string, (values: string[] | null) => void>();
  let count = 0;
  /** The chosen site of a card of `/connect`. */
  const sites = new Map<string, string>();
  const desk = createAuthConnector(kay, link, {
    say,
    links: (card, links) => dispatch({ type: "links", card, links }),
    onConnected: (card, service) => void connected(card, service),
    onUnknown: (card, service, error) => {
      if (!isLocalAuth(card.auth)) return;
      say(formatFault(error));
      settled(card, ({ integrations, ...auth }) => ({
        ...auth,
        integrations: integrations.filter((each) => each !== service),
      }));
    },
    getSite: (card) => sites.get(card),
  });
  const connected = async (card: AuthCard, service: string) => {
    void loadCandidates(kay, link, dispatch, ["connections", "tools"]);
    if (now().status.connection === "signed out") dispatch({ type: "status", status: { connection: "here" } });
    talk.again();
    if (!isLocalAuth(card.auth)) {
      const { reportConnected } = await import("../ask/auth.ts");
      return reportConnected(link, card.auth.generation_id, service).catch((error) => say(formatFault(error)));
    }
    settled(card, (auth) => ({ ...auth, connected: [...auth.connected, service] }));
  };
  /** Updates a card of `/connect` after one of its services. The card ends with the last one. */
  const settled = (card: AuthCard, change: (auth: AuthCard["auth"]) => AuthCard["auth"]) => {
    const open = now().local.find(
      (each): each is AuthCard => each.kind === "card" && each.id === card.id && each.type === "auth",
    );
    if (!open) return;
    const auth = change(open.auth);
    if (listMissingServices(auth).length === 0) dispatch({ type: "local-ended", id: card.id });
    else dispatch({ type: "local", card: { ...open, auth } });
  };
  const opened = (card: AnyCard) =>
    new Promise<boolean>((resolve) => {
      waiting.set(card.id, resolve);
      dispatch({ type: "local", card });
    });
  const context: SlashContext = {
    kay,
    link,
    session: () => now().view.session_id,
    say,
    ask: (question) => (kay.flags.yes ? Promise.resolve(true) : opened(questionCard(`question:${++count}`, question))),
    pick: (question, choices, multiple) => {
      const id = `pick:${++count}`;
      return new Promise((resolve) => {
        picking.set(id, resolve);
        dispatch({ type: "pick", id, picker: createPicker(question, choices, multiple) });
      });
    },
    fill: (form) => {
      const card = formCard(`form:${++count}`, form, kay.clock.now() + FORM_MS);
      dispatch({ type: "local", card });
      return new Promise((resolve) => filling.set(card.id, resolve));
    },
    send: async (prompt, more) => {
      if (isBusy(now()))
        throw new Problem("USAGE", "Another request is still running.", { hint: "Try again when it has ended." });
      await talk.send(prompt, more);
    },
    connect: (services, site) =>
      connectFromSession(context, { kay, link }, services, async (consents) => {
        const card = connectCard(`connect:${++count}`, consents, kay.clock.now() + LINK_MS);
        if (site !== undefined) sites.set(card.id, site);
        await opened(card);
      }),
    usage: () => now().view.usage,
    lastAnswer: ports.answer,
    write: stage.silently,
    client: options.client,
    setInteractive: async (enabled) => dispatch({ type: "interaction", enabled }),
    setPlan: (plan) => {
      kay.choices.plan = plan;
      dispatch({ type: "status", status: { plan } });
    },
    resume: async (id) => {
      talk.forget();
      ports.forget();
      stage.reset();
      dispatch({ type: "reset" });
      talk.follow(id);
    },
    clear: () => {
      talk.forget();
      ports.forget();
      stage.reset();
      dispatch({ type: "reset" });
    },
    quit: leave,
    detach: async () => {
      const isRunning = await detachSession(kay, link, now());
      if (isRunning) leave("detached");
      return isRunning;
    },
    width: () => kay.terminal.stdout.columns(),
  };
  const answered = (answer: AskResponse, prompt: string | null) => {
    const card = toConfirmCard(answer);
    dispatch({ type: "parts", parts: toParts(answer, prompt, now().view), at: kay.clock.now() });
    if (card) dispatch({ type: "local", card });
  };
  return {
    kay,
    link,
    client: options.client,
    talk,
    dispatch,
    say,
    showAnswer: answered,
    desk,
    closeCard: (id) => {
      const card = now().view.items.findLast((item) => item.kind === "card" && item.id === id);
      desk.close(id, card?.kind === "card" && card.ended?.action === "connected" ? "connected" : "given up");
      waiting.get(id)?.(false);
      waiting.delete(id);
      filling.get(id)?.(null);
      filling.delete(id);
    },
    conversation: () => now().view.session_id,
    slash: async (text) => {
      say(`> ${toLine(text)}`);
      const slash = parseSlash(text);
      if (slash.kind !== "command") return;
      await slash.command.run(context, slash.argument);
      void loadCandidates(kay, link, dispatch, slash.command.changes ?? []);
    },
    submitForm: (card, answer) => {
      const resolve = filling.get(card);
      if (!resolve) return false;
      filling.delete(card);
      resolve(answer.action === "submit" ? (answer.input ?? {}) : null);
      dispatch({ type: "local-ended", id: card });
      return true;
    },
    decideCard: async (card, yes) => {
      const asked = waiting.get(card.id);
      waiting.delete(card.id);
      asked?.(yes);
      if (!asked) answered(await link.api.confirm(card.id, yes, { signal: kay.signal }), null);
      dispatch({ type: "local-ended", id: card.id });
    },
    submitPick: (id, values) => {
      picking.get(id)?.(values);
      picking.delete(id);
    },
    lend: stage.lend,
    silently: stage.silently,
    remember: (text) => void kay.history.add(text).catch((error) => say(formatFault(error))),
    suspend: () => kay.terminal.suspend(),
    clearWindow: stage.clearWindow,
    expand: () => {
      const tool = ports.newest();
      say(tool ? formatToolCall(tool, stage.look()) : "Nothing was called yet.");
    },
    help: () => {
      void import("../help/topics.ts").then(async ({ TOPICS }) => {
        const { formatTopic } = await import("../help/format-topic.ts");
        const columns = kay.terminal.stdout.columns();
        const keys = formatTopic((TOPICS.session ?? "").split("\n\nRequests ")[0]?.trim() ?? "", columns);
        const { formatAliasHelp } = await import("./slash/table.ts");
        say([keys, formatAliasHelp(await listAliases(kay), columns)].filter(Boolean).join("\n\n"));
      });
    },
    visit: async () => {
      const url = findReceiptLink(now().view);
      if (url === undefined) return say("No receipt of this conversation has a link.");
      const { openLinks } = await import("../consent/open-links.ts");
      await openLinks(kay, [url], say);
    },
    leave,
    end: () => {
      for (const resolve of waiting.values()) resolve(false);
      for (const resolve of [...picking.values(), ...filling.values()]) resolve(null);
    },
  };
}

/** Returns the link of the newest receipt that has one that a browser can open. */
function findReceiptLink({ items }: Session["view"]): string | undefined {
  const links = items.flatMap((item) => (item.kind === "receipt" && item.receipt.url ? [item.receipt.url] : []));
  return links.findLast((url) => ["http:", "https:"].includes(URL.parse(url)?.protocol ?? ""));
}
