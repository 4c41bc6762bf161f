import type { NumberedPart } from "#protocol/numbered-parts";
import { findConversationId } from "../../ask/conversation.ts";
import { finishAsk } from "../../ask/finish.ts";
import { followGeneration, takeUntilEnd } from "../../ask/follow.ts";
import { createJsonLinesPresenter } from "../../ask/json-lines.ts";
import { createTextPresenter } from "../../ask/presenter.ts";
import type { BackendHandle } from "../../backend/handle.ts";
import type { ExitCode } from "../../command.ts";
import type { Kay } from "../../kay.ts";
import { canHaveSession, createClient, openSession, showGreeting } from "../../session/open.ts";
import type { ClientOptions, SessionClient } from "../../session/session-options.ts";

const COMMAND = "kay attach";

/** Number of recent conversations to search for a running one. */
const LOOKED_AT = 30;

/**
 * Runs `kay attach`: opens a session on a terminal, and otherwise follows the newest generation until it ends or stops.
 */
export async function runAttach(kay: Kay, name: string | undefined, options: ClientOptions): Promise<ExitCode> {
  showGreeting(kay);
  const link = await kay.openBackend({ signedIn: true });
  const id = await getConversation(link, name);
  if (canHaveSession(kay)) return openSession(kay, link, { ...options, resume: id, command: COMMAND });
  return followInScript(kay, link, id, createClient(kay, COMMAND, options));
}

async function getConversation(link: BackendHandle, name: string | undefined): Promise<string> {
  if (name === undefined) {
    const { data } = await link.api.sessions({ page: 1, limit: LOOKED_AT });
    const underWay = data.find(({ status }) => isUnderWay(status));
    if (underWay) return underWay.id;
  }
  return (await findConversationId(link, { resume: name ?? "latest" })) ?? "";
}

async function followInScript(kay: Kay, link: BackendHandle, id: string, client: SessionClient): Promise<ExitCode> {
  const { last_event: last, status } = await link.api.session(id);
  const { writeProgress: note, warn } = kay.out;
  const leaving = new AbortController();
  const signal = AbortSignal.any([kay.signal, leaving.signal]);
  const live = isUnderWay(status);
  const { lastShown, historyEnd } = await getLog(link.api.events(id, { live: false, signal, note, warn }));
  const events = link.api.events(id, { live, signal, note, warn, client });
  try {
    const { json } = kay.flags;
    const result = await followGeneration(kay, link, {
      parts: live ? takeUntilEnd(events, last) : events,
      show: json ? createJsonLinesPresenter(kay, id) : createTextPresenter(kay),
      askable: false,
      client: client.id,
      lastShown,
      historyEnd,
    });
    return await finishAsk(kay, result, { lines: json });
  } finally {
    leaving.abort();
  }
}

/**
 * Returns the number of the last event before the newest generation, and of the last event to replay. Presence is not
 * replayed.
 */
async function getLog(parts: AsyncIterable<NumberedPart>): Promise<{ lastShown: number; historyEnd: number }> {
  const log = { lastShown: 0, historyEnd: 0 };
  for await (const { number, part } of parts) {
    if (part.type === "start") log.lastShown = number - 1;
    if (part.type !== "data-presence") log.historyEnd = number;
  }
  return log;
}

function isUnderWay(status: string | undefined): boolean {
  return status !== undefined && !["completed", "cancelled", "error"].includes(status);
}
