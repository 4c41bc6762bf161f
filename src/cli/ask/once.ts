import { DEFAULT_PROFILE } from "#client/settings/profiles";
import type { AskRequest } from "#protocol/ask";
import type { NumberedPart } from "#protocol/numbered-parts";
import type { OutputCheck } from "#protocol/output/schema";
import type { View } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { canPrompt } from "../prompt/question.ts";
import { createClient } from "../session/open.ts";
import { cancelGeneration, getCancelGraceMs } from "./cancel.ts";
import { findConversationId } from "./conversation.ts";
import { withPartialAnswer } from "./document.ts";
import { finishAsk } from "./finish.ts";
import { followGeneration } from "./follow.ts";
import { createJsonLinesPresenter, writeTimeoutLine } from "./json-lines.ts";
import { createTextPresenter, SILENT_PRESENTER } from "./presenter.ts";

/** Options of `kay ask` besides the prompt. `check` validates the value of the answer. */
export type OneShotOptions = {
  stream?: boolean;
  queue?: boolean;
  continue?: boolean;
  resume?: string;
  check?: OutputCheck;
};

/**
 * Sends one request as a stream and shows it as it arrives. Prompts for its requests, or leaves them open. A backend
 * without streams answers with JSON.
 */
export async function askOnce(
  kay: Kay,
  link: BackendHandle,
  request: AskRequest,
  options: OneShotOptions,
): Promise<ExitCode> {
  const session = await findConversationId(link, options);
  const lines = kay.flags.json && options.stream === true;
  const askable = !kay.flags.json && canPrompt(kay);
  const client = createClient(kay, "kay ask");
  const body: AskRequest = {
    ...request,
    ...(session ? { session_id: session } : {}),
    ...(options.queue ? { when_busy: "queue" as const } : {}),
    client,
  };
  let view: View | undefined;
  const { writeProgress: note, warn } = kay.out;
  kay.shutdownGraceMs = getCancelGraceMs(kay);
  // On a terminal, shows the account unless it is the usual one.
  const { name: profile } = kay.profile();
  if (profile !== DEFAULT_PROFILE && kay.terminal.stderr.isTerminal)
    note(kay.out.paint("dim", `Profile ${profile}`, "stderr"));
  const leaving = new AbortController();
  const signal = AbortSignal.any([kay.signal, leaving.signal]);
  try {
    // Only the backend has a queue.
    const opening = await link.api.askStream(body, { signal, note, warn, direct: !options.queue });
    if (opening.kind === "answer") {
      const { settleConfirmations } = await import("./settle.ts");
      return await settleConfirmations(kay, link, opening.answer, options.check);
    }
    const show = lines
      ? createJsonLinesPresenter(kay, opening.sessionId)
      : kay.flags.json
        ? SILENT_PRESENTER
        : createTextPresenter(kay);
    const result = await followGeneration(kay, link, {
      parts: kay.terminal.stdout.isTerminal ? withHighlighting(opening.parts) : opening.parts,
      show,
      askable,
      client: client.id,
      onView: (now) => {
        view = now;
      },
    });
    return await finishAsk(kay, result, { prompt: request.prompt, lines, check: options.check });
  } catch (error) {
    const outcome = kay.signal.aborted ? await cancelGeneration(kay, link, view, error) : error;
    if (lines && kay.signal.aborted) writeTimeoutLine(kay, view, outcome);
    // With `--stream`, everything is already printed.
    throw lines ? outcome : withPartialAnswer(outcome, view);
  } finally {
    leaving.abort();
  }
}

/** Yields the parts of an answer, once the code in it can be highlighted. */
async function* withHighlighting(parts: AsyncIterable<NumberedPart>): AsyncGenerator<NumberedPart> {
  const { loadHighlightingForPart } = await import("#ui/markdown/highlight");
  for await (const item of parts) {
    await loadHighlightingForPart(item.part);
    yield item;
  }
}
