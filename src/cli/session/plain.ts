import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import { shortenId } from "#protocol/short-id";
import { toLine } from "#ui/text/words";
import { getCancelGraceMs } from "../ask/cancel.ts";
import { promptForm } from "../ask/form.ts";
import type { BackendHandle } from "../backend/handle.ts";
import { EXIT, type ExitCode } from "../command.ts";
import { runConnect } from "../commands/connect/run.ts";
import { listAliases } from "../context/aliases.ts";
import type { Kay } from "../kay.ts";
import { promptYesNo } from "../prompt/question.ts";
import {
  type Conversation,
  followForeignTurn,
  resumeConversation,
  sendPrompt,
  showConversation,
} from "./conversation.ts";
import { createLineInput, type LineInput } from "./line-input.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SlashContext } from "./slash/command.ts";
import { parseSlash } from "./slash/read.ts";

/** Runs one task at a time. Ctrl+C aborts its signal. */
type Work = (kay: Kay) => Promise<void>;

/**
 * Runs the session by lines, for screen readers and terminals that cannot redraw: labelled text in order, with numbered
 * answers. Ctrl+C cancels the running task and quits when pressed twice; so does the end of the input.
 */
export async function runPlainSession(kay: Kay, link: BackendHandle, options: SessionOptions): Promise<ExitCode> {
  kay.flags = { ...kay.flags, plain: true };
  kay.shutdownGraceMs = getCancelGraceMs(kay);
  const input = createLineInput(kay.terminal);
  const conversation: Conversation = {
    id: options.resume,
    last: 0,
    hasOpenCards: false,
    answer: "",
    client: options.client,
  };
  const session: Session = { kay, link, input, conversation, leaving: false, interrupt: () => {} };
  const release = kay.catchInterrupts(() => session.interrupt());
  try {
    greet(kay);
    if (options.resume !== undefined)
      await workInterruptibly(session, (turnKay) => showConversation(turnKay, link, conversation));
    while (!session.leaving && !kay.signal.aborted) await step(session);
  } finally {
    release();
    const { id } = conversation;
    if (id !== undefined) kay.out.writeLine(`Come back with: kay ask --resume ${shortenId(toLine(id))}`);
  }
  return conversation.hasOpenCards ? EXIT.pending : EXIT.ok;
}

type Session = {
  kay: Kay;
  link: BackendHandle;
  input: LineInput;
  conversation: Conversation;
  leaving: boolean;
  /** Current action of Ctrl+C. */
  interrupt(): void;
};

function greet(kay: Kay): void {
  const plan = kay.choices.plan ? " Plan mode is on." : "";
  kay.out.writeLine(
    `kay session. Type a request and press Enter. /help lists commands; press Ctrl+C twice to quit.${plan}`,
  );
}

/** Handles one typed text, or one generation that another client started. */
async function step(session: Session): Promise<void> {
  const came = await readNextInput(session);
  const { link, conversation } = session;
  if (came === null) session.leaving = true;
  else if (typeof came !== "string") {
    if (conversation.hasOpenCards) came.end();
    await workInterruptibly(session, (turnKay) =>
      conversation.hasOpenCards
        ? resumeConversation(turnKay, link, conversation)
        : followForeignTurn(turnKay, link, conversation, came.parts),
    );
    came.end();
  } else await workInterruptibly(session, (turnKay) => handleInput(session, turnKay, came));
  if (session.input.hasEnded()) session.leaving = true;
}

async function handleInput(session: Session, turnKay: Kay, text: string): Promise<void> {
  const aliases = text.trimStart().startsWith("/") ? await listAliases(turnKay) : [];
  const slash = parseSlash(
    text,
    aliases.map(({ name }) => name),
  );
  if (slash.kind === "text") {
    if (slash.text.trim() !== "") await sendPrompt(turnKay, session.link, session.conversation, slash.text.trim());
  } else await slash.command.run(getContext(session, turnKay), slash.argument);
}

type ForeignTurn = { parts: AsyncIterable<NumberedPart>; end(): void };

/** Returns a text, a generation of another client, or null to leave: at the end of the input, or after Ctrl+C twice. */
async function readNextInput(session: Session): Promise<string | ForeignTurn | null> {
  const { kay, link, input, conversation } = session;
  let isArmed = false;
  for (;;) {
    const [pressed, controller] = [new AbortController(), new AbortController()];
    session.interrupt = () => pressed.abort();
    const signal = AbortSignal.any([kay.signal, pressed.signal, controller.signal]);
    const following = new AbortController();
    const text = input.text(signal);
    const foreignTurn = waitForForeignTurn(link, conversation, AbortSignal.any([kay.signal, following.signal]));
    const came = await Promise.race([text, foreignTurn.then((parts) => ({ parts, end: () => following.abort() }))]);
    if (typeof came === "object" && came !== null) {
      controller.abort();
      await text;
      kay.terminal.stderr.write("\n");
      return came;
    }
    following.abort();
    if (!pressed.signal.aborted || kay.signal.aborted) return came;
    if (isArmed) {
      kay.terminal.stderr.write("\n");
      return null;
    }
    isArmed = !input.clear();
    kay.terminal.stderr.write(isArmed ? "\nPress Ctrl+C again to exit.\n" : "\n");
  }
}

/** Runs one step. A failure is reported, and the session continues. */
async function workInterruptibly(session: Session, work: Work): Promise<void> {
  const { kay, input } = session;
  const cancelled = new AbortController();
  session.interrupt = () => {
    if (cancelled.signal.aborted) session.leaving = true;
    cancelled.abort("SIGINT");
  };
  const signal = AbortSignal.any([kay.signal, cancelled.signal]);
  const terminal = { ...kay.terminal, stdin: input.source };
  try {
    await Promise.race([work({ ...kay, signal, terminal }), awaitSecondPress(kay, signal)]);
  } catch (error) {
    if (kay.signal.aborted) throw error;
    if (cancelled.signal.aborted) kay.out.writeLine("canceled");
    else if (error instanceof Problem) tellProblem(kay, error);
    else throw error;
  }
}

/** A task that does not end after Ctrl+C is abandoned. */
async function awaitSecondPress(kay: Kay, signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await kay.clock.sleep(getCancelGraceMs(kay));
  throw new Problem("CANCELLED", "Canceled.");
}

function tellProblem(kay: Kay, { code, message, hint }: Problem): void {
  const isNo = code === "CANCELLED" || code === "DENIED";
  kay.terminal.stderr.write(`${isNo ? "" : "error: "}${message}\n${hint ? `  ${hint}\n` : ""}`);
}

function getContext(session: Session, turnKay: Kay): SlashContext {
  const { kay, link, conversation } = session;
  return {
    kay: turnKay,
    link,
    session: () => conversation.id,
    say: (text) => turnKay.out.writeLine(text),
    ask: async (question) => turnKay.flags.yes || promptYesNo(turnKay, question),
    fill: async ({ title, prompt, fields, values }) => {
      const request = {
        interaction_id: "",
        tool_call_id: "",
        tool_name: title,
        interaction_type: "input",
        expires_at: "",
      } as const;
      const form = { ...request, prompt, input_schema: { type: "form", fields } as const, initial_values: values };
      const answer = await promptForm(turnKay, form, turnKay.signal);
      return answer.action === "submit" ? (answer.input ?? {}) : null;
    },
    send: (prompt, options) => sendPrompt(turnKay, link, conversation, prompt, options),
    connect: (services, site) => runConnect(turnKay, services, { wait: true, ...(site ? { site } : {}) }),
    usage: () => conversation.usage,
    lastAnswer: () => conversation.answer,
    write: (sequence) => turnKay.terminal.stdout.write(sequence),
    client: conversation.client,
    setPlan: (enabled) => {
      kay.choices.plan = enabled;
    },
    setInteractive: async (enabled) => {
      if (enabled && conversation.hasOpenCards) await resumeConversation(turnKay, link, conversation);
    },
    resume: (id) => {
      Object.assign(conversation, { id, last: 0, hasOpenCards: false });
      return showConversation(turnKay, link, conversation);
    },
    clear: () => void Object.assign(conversation, { id: undefined, last: 0, hasOpenCards: false }),
    quit: () => {
      session.leaving = true;
    },
    // A line session reads commands only between requests.
    detach: async () => false,
    width: () => turnKay.terminal.stdout.columns(),
  };
}

/**
 * Waits during the prompt for a generation that another client starts in this conversation, or for the end of one that
 * waits.
 *
 * @returns its parts; never settles without one, on a backend without events, and after `signal`
 */
export async function waitForForeignTurn(
  link: BackendHandle,
  { id, last, hasOpenCards, client }: Conversation,
  signal: AbortSignal,
): Promise<AsyncIterable<NumberedPart>> {
  const parts = id === undefined ? undefined : link.api.events(id, { after: last, client, signal });
  const iterator = parts?.[Symbol.asyncIterator]();
  try {
    for (let next = await iterator?.next(); next && !next.done; next = await iterator?.next()) {
      const { type } = next.value.part;
      // A card that this terminal left open continues.
      if (hasOpenCards && type !== "data-presence" && iterator) return prependPart(next.value, iterator);
      // The rest of a generation that was canceled here starts with neither.
      if ((type === "data-user-message" || type === "start") && iterator) return prependPart(next.value, iterator);
    }
  } catch {
    // If following fails, other clients' work is not shown, but requests from here are.
  }
  return new Promise(() => {});
}

async function* prependPart(first: NumberedPart, rest: AsyncIterator<NumberedPart>): AsyncGenerator<NumberedPart> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
