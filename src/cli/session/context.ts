import type { AskResponse } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { isLocalAuth } from "#ui/cards/auth";
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
import { connectFromSession } from "./local-cards.ts";
import { createLocalRequests, type LocalRequests } from "./local-requests.ts";
import type { SessionScreen } from "./screen.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SlashContext } from "./slash/command.ts";
import { parseSlash } from "./slash/read.ts";

/** Ports of a session's effects, and the parts that belong to this terminal alone. */
export type SessionContext = EffectPorts & {
  /** Shows the answer of a backend without streams. */
  showAnswer(answer: AskResponse, prompt: string | null): Promise<void>;
  end(): void;
};

export type SessionPorts = {
  kay: Kay;
  link: BackendHandle;
  conversation: ConversationClient;
  screen: SessionScreen;
  options: SessionOptions;
  dispatch(event: SessionEvent): void;
  /** See {@link EffectPorts}. */
  lend: EffectPorts["lend"];
  /** Drops parts of the conversation that have not been delivered yet. */
  forget(): void;
  now(): Session;
  /** The latest call and its effects. */
  newest(): ToolItem | undefined;
  /** The last answer as Markdown. */
  answer(): string;
  leave(reason?: "detached"): void;
};

/** Creates the context of effects and slash commands of a session on a terminal. */
export function createSessionContext(ports: SessionPorts): SessionContext {
  const { kay, link, conversation, screen, options, dispatch, now, leave } = ports;
  const say = (text: string) => {
    screen.say(`\n${text}`);
    screen.show(now(), "soon");
  };
  const requests = createLocalRequests(dispatch, () => kay.clock.now());
  const connector = createConnector(ports, requests, say);
  const slash = createSlashContext(ports, requests, say);
  const showAnswer = async (answer: AskResponse, prompt: string | null) => {
    const { toConfirmCard, toParts } = await import("./guide-answers.ts");
    const card = toConfirmCard(answer);
    dispatch({ type: "parts", parts: toParts(answer, prompt, now().view), at: kay.clock.now() });
    if (card) dispatch({ type: "local", card });
  };
  return {
    kay,
    link,
    client: options.client,
    conversation,
    dispatch,
    say,
    showAnswer,
    connector,
    closeCard: (id) => {
      const card = now().view.items.findLast((item) => item.kind === "card" && item.id === id);
      connector.close(id, card?.kind === "card" && card.ended?.action === "connected" ? "connected" : "given up");
      requests.close(id);
    },
    getConversationId: () => now().view.session_id,
    slash: async (text) => {
      say(`> ${toLine(text)}`);
      const input = parseSlash(text);
      if (input.kind !== "command") return;
      await input.command.run(slash, input.argument);
      void loadCandidates(kay, link, dispatch, input.command.changes ?? []);
    },
    submitForm: (card, answer) => {
      const isLocal = requests.submit(card, answer);
      if (isLocal) dispatch({ type: "local-ended", id: card });
      return isLocal;
    },
    decideCard: async (card, isConfirmed) => {
      if (!requests.decide(card.id, isConfirmed))
        await showAnswer(await link.api.confirm(card.id, isConfirmed, { signal: kay.signal }), null);
      dispatch({ type: "local-ended", id: card.id });
    },
    submitPick: requests.choose,
    lend: ports.lend,
    writeHidden: screen.writeHidden,
    remember: (text) => void kay.history.add(text).catch((error) => say(formatFault(error))),
    suspend: () => kay.terminal.suspend(),
    clearWindow: screen.clearWindow,
    expand: () => {
      const tool = ports.newest();
      say(tool ? formatToolCall(tool, screen.look()) : "No tool was called yet.");
    },
    help: () => void showKeys(kay, say),
    visit: async () => {
      const url = findReceiptLink(now().view);
      if (url === undefined) return say("No receipt in this conversation has a link.");
      const { openLinks } = await import("../consent/open-links.ts");
      await openLinks(kay, [url], say);
    },
    leave,
    end: requests.closeAll,
  };
}

/** Creates the connector of this session's connection cards: those of the conversation, and those of `/connect`. */
function createConnector(ports: SessionPorts, requests: LocalRequests, say: (text: string) => void) {
  const { kay, link, conversation, dispatch, now } = ports;
  const onConnected = async (card: AuthCard, service: string) => {
    void loadCandidates(kay, link, dispatch, ["connections", "tools"]);
    if (now().status.connection === "signed out") dispatch({ type: "status", status: { connection: "here" } });
    conversation.again();
    if (!isLocalAuth(card.auth)) {
      const { reportConnected } = await import("../ask/auth.ts");
      return reportConnected(link, card.auth.generation_id, service).catch((error) => say(formatFault(error)));
    }
    updateLocal(card, (auth) => ({ ...auth, connected: [...auth.connected, service] }));
  };
  /** Updates a card of `/connect` after one of its services. The card ends with the last one. */
  const updateLocal = (card: AuthCard, change: (auth: AuthCard["auth"]) => AuthCard["auth"]) => {
    const open = now().local.find(
      (item): item is AuthCard => item.kind === "card" && item.id === card.id && item.type === "auth",
    );
    if (!open) return;
    const auth = change(open.auth);
    if (listMissingServices(auth).length === 0) dispatch({ type: "local-ended", id: card.id });
    else dispatch({ type: "local", card: { ...open, auth } });
  };
  return createAuthConnector(kay, link, {
    say,
    links: (card, links) => dispatch({ type: "links", card, links }),
    onConnected: (card, service) => void onConnected(card, service),
    onUnknown: (card, service, error) => {
      if (!isLocalAuth(card.auth)) return;
      say(formatFault(error));
      updateLocal(card, ({ integrations, ...auth }) => ({
        ...auth,
        integrations: integrations.filter((name) => name !== service),
      }));
    },
    getSite: requests.getSite,
  });
}

function createSlashContext(ports: SessionPorts, requests: LocalRequests, say: (text: string) => void): SlashContext {
  const { kay, link, conversation, screen, options, dispatch, now, leave } = ports;
  const clear = () => {
    conversation.forget();
    ports.forget();
    screen.reset();
    dispatch({ type: "reset" });
  };
  const context: SlashContext = {
    kay,
    link,
    session: () => now().view.session_id,
    say,
    ask: async (question) => kay.flags.yes || (await requests.confirm(question)),
    pick: requests.pick,
    fill: requests.fill,
    send: async (prompt, options) => {
      if (isBusy(now()))
        throw new Problem("USAGE", "Another request is still running.", { hint: "Try again when it ends." });
      await conversation.send(prompt, options);
    },
    connect: (services, site) =>
      connectFromSession(context, { kay, link }, services, (consents) => requests.connect(consents, site)),
    usage: () => now().view.usage,
    lastAnswer: ports.answer,
    write: screen.writeHidden,
    client: options.client,
    setInteractive: async (enabled) => dispatch({ type: "interaction", enabled }),
    setPlan: (plan) => {
      kay.choices.plan = plan;
      dispatch({ type: "status", status: { plan } });
    },
    resume: async (id) => {
      clear();
      conversation.follow(id);
    },
    clear,
    quit: leave,
    detach: async () => {
      const isRunning = await detachSession(kay, link, now());
      if (isRunning) leave("detached");
      return isRunning;
    },
    width: () => kay.terminal.stdout.columns(),
  };
  return context;
}

/** Shows the keys of a session, and the user's own slash commands. */
async function showKeys(kay: Kay, say: (text: string) => void): Promise<void> {
  const [{ TOPICS }, { formatTopic }, { formatAliasHelp }] = await Promise.all([
    import("../help/topics.ts"),
    import("../help/format-topic.ts"),
    import("./slash/table.ts"),
  ]);
  const columns = kay.terminal.stdout.columns();
  const keys = formatTopic((TOPICS.session ?? "").split("\n\nRequests ")[0]?.trim() ?? "", columns);
  say([keys, formatAliasHelp(await listAliases(kay), columns)].filter(Boolean).join("\n\n"));
}

/** Returns the link of the newest receipt that has one that a browser can open. */
function findReceiptLink({ items }: Session["view"]): string | undefined {
  const links = items.flatMap((item) => (item.kind === "receipt" && item.receipt.url ? [item.receipt.url] : []));
  return links.findLast((url) => ["http:", "https:"].includes(URL.parse(url)?.protocol ?? ""));
}
