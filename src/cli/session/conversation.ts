import type { AskRequest, Usage } from "#protocol/ask";
import type { NumberedPart } from "#protocol/numbered-parts";
import { READ_ONLY_HINT } from "#ui/session/open-cards";
import { formatCard } from "#ui/text/words";
import { listOpenCards, type View } from "#ui/view/view";
import { checkLimitsSupported } from "../ask/allow-list.ts";
import { cancelGeneration } from "../ask/cancel.ts";
import { readAskChoices } from "../ask/choices.ts";
import { followGeneration, takeUntilEnd } from "../ask/follow.ts";
import { readPrompt } from "../ask/read-prompt.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { readMentions } from "./mentions.ts";
import { createPlainPresenter } from "./plain-presenter.ts";
import type { SessionClient } from "./session-options.ts";

/** The conversation of a line session, and its state. */
export type Conversation = {
  /** Undefined before the first request. */
  id: string | undefined;
  /** Number of the last event that was shown. */
  last: number;
  /** Whether this terminal left cards open. */
  hasOpenCards: boolean;
  /** The last answer as Markdown. */
  answer: string;
  /** Tokens of the last answer, if the backend reported them. */
  usage?: Usage;
  /** This terminal as a follower. */
  client: SessionClient;
};

/** Sends a request, shows its parts, and asks the user about each open card. Ctrl+C cancels it at the backend. */
export async function sendPrompt(
  kay: Kay,
  link: BackendHandle,
  conversation: Conversation,
  text: string,
  options: Record<string, unknown> = {},
): Promise<void> {
  const { id } = conversation;
  const { prompt, typed } = await readPrompt(kay, link, text);
  const mentioned = await readMentions(kay, link, typed ?? prompt);
  const context = { ...options, ...mentioned.context };
  const body: AskRequest = {
    ...{ prompt, typed },
    ...(await readAskChoices(kay, link)),
    ...mentioned,
    ...(Object.keys(context).length > 0 ? { context } : {}),
    interactive: false,
    ...(id === undefined ? {} : { session_id: id }),
    when_busy: "queue",
    client: conversation.client,
  };
  if (body.attachments) await checkLimitsSupported(link, body);
  await withStream(kay, async (signal) => {
    const opening = await link.api.askStream(body, {
      signal,
      note: kay.out.writeProgress,
      warn: kay.out.warn,
      direct: true,
    });
    if (opening.kind === "answer") {
      conversation.id = opening.answer.session_id ?? id;
      const { settleConfirmations } = await import("../ask/settle.ts");
      await settleConfirmations(kay, link, opening.answer);
      return;
    }
    conversation.id = opening.sessionId ?? id;
    await show(kay, link, conversation, { parts: opening.parts, prompt });
  });
}

/** Shows the whole conversation, and continues with what is running. */
export async function showConversation(kay: Kay, link: BackendHandle, conversation: Conversation): Promise<void> {
  const id = conversation.id ?? "";
  const { last_event: lastEvent, status } = await link.api.session(id);
  const isUnderWay = status !== undefined && !["completed", "cancelled", "error"].includes(status);
  await withStream(kay, async (signal) => {
    const { writeProgress: note, warn } = kay.out;
    const events = link.api.events(id, { live: isUnderWay, client: conversation.client, signal, note, warn });
    await show(kay, link, conversation, {
      parts: isUnderWay ? takeUntilEnd(events, lastEvent) : events,
      lastShown: lastEvent,
    });
  });
}

/** Resumes at open cards: shows newer parts, and asks about the cards that are still open. */
export async function resumeConversation(kay: Kay, link: BackendHandle, conversation: Conversation): Promise<void> {
  const { id = "", last: lastEvent, client } = conversation;
  await withStream(kay, async (signal) => {
    const { writeProgress: note, warn } = kay.out;
    const events = link.api.events(id, { client, signal, note, warn });
    await show(kay, link, conversation, {
      parts: takeUntilEnd(events, lastEvent),
      lastShown: lastEvent,
      isContinued: true,
    });
  });
}

/** Shows a generation that another client started. */
export async function followForeignTurn(
  kay: Kay,
  link: BackendHandle,
  conversation: Conversation,
  parts: AsyncIterable<NumberedPart>,
): Promise<void> {
  await show(kay, link, conversation, { parts: takeUntilEnd(parts, 0) });
}

type ShowOptions = { parts: AsyncIterable<NumberedPart>; prompt?: string; lastShown?: number; isContinued?: boolean };

async function show(kay: Kay, link: BackendHandle, conversation: Conversation, options: ShowOptions): Promise<void> {
  const { parts, prompt, lastShown = 0, isContinued = false } = options;
  const { id: client, name, interaction } = conversation.client;
  const readOnly = !interaction.enabled;
  let view: View | undefined;
  try {
    const result = await followGeneration(kay, link, {
      parts,
      show: createPlainPresenter(kay, {
        lastShown,
        client: name,
        readOnly,
        isContinued,
        ...(prompt === undefined ? {} : { prompt }),
      }),
      askable: !readOnly,
      client,
      lastShown,
      asksOpen: true,
      onView: (now) => {
        view = now;
        conversation.id = now.session_id ?? conversation.id;
        conversation.answer = getAnswer(now);
        conversation.usage = now.usage;
        conversation.last = Math.max(conversation.last, now.last);
      },
    });
    conversation.hasOpenCards = result.waiting.length > 0;
    if (readOnly) for (const card of result.waiting) kay.out.writeLine(`${formatCard(card)}\n${READ_ONLY_HINT}`);
  } catch (error) {
    const outcome = kay.signal.aborted ? await cancelGeneration(kay, link, view, error) : error;
    conversation.hasOpenCards = view !== undefined && listOpenCards(view).length > 0 && kay.signal.reason === "SIGHUP";
    throw outcome;
  }
}

function getAnswer({ items, generation_id }: View): string {
  const texts = items.flatMap((item) =>
    item.kind === "text" && item.generation_id === generation_id ? [item.text] : [],
  );
  return texts.join("\n\n");
}

async function withStream(kay: Kay, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const leaving = new AbortController();
  try {
    await work(AbortSignal.any([kay.signal, leaving.signal]));
  } finally {
    leaving.abort();
  }
}
