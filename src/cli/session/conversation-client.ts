import type { AskRequest, AskResponse } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import { checkLimitsSupported } from "../ask/allow-list.ts";
import { readAskChoices } from "../ask/choices.ts";
import { readPrompt } from "../ask/read-prompt.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { createDirectStream } from "./direct-stream.ts";
import { readMentions } from "./mentions.ts";
import type { SessionClient } from "./session-options.ts";

/** Events that a conversation sends to the session. */
export type ConversationListener = {
  /** Reports the ID of the conversation. */
  session(id: string): void;
  part(part: NumberedPart): void;
  /** Reports the answer of a basic backend, which does not stream. */
  answer(answer: AskResponse, prompt: string): Promise<void>;
  /** Reports whether the conversation can be followed, and why not, in a sentence. */
  connection(state: "here" | "lost", reason?: string): void;
  /** Reports that following ended, because the sign-in or the conversation is gone. */
  onStop(problem: Problem): void;
};

/** The client of one conversation in a session. */
export type ConversationClient = {
  /**
   * Sends a prompt or an alias of the user, with data that others wrote. Resolves when the backend has accepted it and
   * its parts are on their way.
   *
   * @throws Problem when it was not accepted, or its outcome is unknown
   */
  send(text: string, context?: Record<string, unknown>): Promise<void>;
  /** Follows this conversation from its beginning until the session ends. */
  follow(sessionId: string): void;
  /** Resumes following at the last position, after a sign-in. */
  again(): void;
  /** Stops following. The next prompt starts a new conversation. */
  forget(): void;
  /** Ends the client with the session. */
  end(): void;
};

/** Waits between tries to follow again, in ms. */
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/**
 * Creates the client. All parts arrive through the stream of the conversation, which also shows other terminals' work.
 * The stream of a request stays open until the conversation's has reached it, because the backend stops work without
 * followers.
 */
export function createConversationClient(
  kay: Kay,
  link: BackendHandle,
  client: SessionClient,
  listener: ConversationListener,
): ConversationClient {
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, kay.signal]);
  let following: ConversationFollower | undefined;
  const direct = createDirectStream(listener.part);
  const follow = (id: string) => {
    following?.end();
    const forwarded = { ...listener, part: direct.log };
    following = startFollowing(kay, link, { id, client, listener: forwarded, signal });
    listener.session(id);
  };
  const send = async (text: string, options: Record<string, unknown> = {}) => {
    const { prompt, typed } = await readPrompt(kay, link, text);
    const mentioned = await readMentions(kay, link, typed ?? prompt);
    const context = { ...options, ...mentioned.context };
    const body: AskRequest = {
      ...{ prompt, typed },
      ...(await readAskChoices(kay, link)),
      ...mentioned,
      ...(Object.keys(context).length > 0 ? { context } : {}),
      interactive: false,
      ...(following ? { session_id: following.id } : {}),
      client,
    };
    if (body.attachments) await checkLimitsSupported(link, body);
    const leaving = new AbortController();
    const opening = await link.api.askTurn(body, {
      signal: AbortSignal.any([signal, leaving.signal]),
      note: () => {},
      warn: kay.out.warn,
    });
    if (opening.kind === "answer") return await listener.answer(opening.answer, prompt);
    if (opening.kind === "turn") {
      const begun = direct.begin(opening.turn);
      if (opening.turn.sessionId !== following?.id) follow(opening.turn.sessionId);
      return await Promise.race([begun, following?.waitForPart(Number.POSITIVE_INFINITY)]);
    }
    try {
      for await (const { number, part } of opening.parts) {
        // Presence is not in the log.
        if (part.type === "data-presence") continue;
        const sessionId = opening.sessionId ?? (part.type === "start" ? part.messageMetadata?.session_id : undefined);
        if (sessionId && sessionId !== following?.id) follow(sessionId);
        if (!following) continue;
        // Waits for the whole number, because unlogged parts have fractions.
        await following.waitForPart(Math.floor(number));
        return;
      }
    } finally {
      leaving.abort();
    }
  };
  const forget = () => {
    if (following) listener.connection("here");
    following?.end();
    direct.end();
    following = undefined;
  };
  return { send, follow, again: () => following?.again(), forget, end: () => closing.abort() };
}

/** `reached` resolves when the part with this number or a later one has arrived, or none will. */
type ConversationFollower = { id: string; waitForPart(number: number): Promise<void>; again(): void; end(): void };

function startFollowing(
  kay: Kay,
  link: BackendHandle,
  {
    id,
    client,
    listener,
    signal,
  }: { id: string; client: SessionClient; listener: ConversationListener; signal: AbortSignal },
): ConversationFollower {
  const controller = new AbortController();
  const until = AbortSignal.any([signal, controller.signal]);
  let last = 0;
  let awaited: { number: number; resolve(): void }[] = [];
  const release = (number: number) => {
    for (const waiter of awaited) if (waiter.number <= number) waiter.resolve();
    awaited = awaited.filter((waiter) => waiter.number > number);
  };
  const followOnce = async () => {
    const parts = link.api.events(id, {
      after: last,
      client,
      signal: until,
      note: (reason) => listener.connection("lost", reason),
      onConnect: () => listener.connection("here"),
      warn: kay.out.warn,
    });
    for await (const part of parts) {
      if (until.aborted) return;
      last = Math.max(last, part.number);
      listener.part(part);
      release(last);
    }
  };
  let following: Promise<void> | undefined;
  const begin = () => {
    following ??= repeat(kay, followOnce, listener, until).finally(() => {
      following = undefined;
      release(Number.POSITIVE_INFINITY);
    });
    return following;
  };
  begin();
  const awaitNumber = (number: number) =>
    last >= number
      ? Promise.resolve()
      : Promise.race([begin(), new Promise<void>((resolve) => awaited.push({ number, resolve }))]);
  return { id, waitForPart: awaitNumber, again: () => void begin(), end: () => controller.abort() };
}

/** Follows until the session ends. A lost connection is retried at growing intervals. */
async function repeat(
  kay: Kay,
  once: () => Promise<void>,
  listener: ConversationListener,
  until: AbortSignal,
): Promise<void> {
  for (let tries = 0; !until.aborted; tries += 1) {
    try {
      await once();
      tries = 0;
    } catch (error) {
      if (until.aborted) return;
      const reason = error instanceof Problem ? error.message : "The conversation cannot be followed.";
      if (error instanceof Problem && isFinal(error)) return listener.onStop(error);
      listener.connection("lost", reason);
    }
    await kay.clock.sleep(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)] ?? 1_000, until).catch(() => {});
  }
}

/** A retry does not help: the user must sign in, or the conversation is gone. */
function isFinal({ code, exit }: Problem): boolean {
  return exit === 4 || code === "SESSION_NOT_FOUND";
}
