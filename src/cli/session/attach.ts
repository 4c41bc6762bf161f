import type { NumberedPart } from "#protocol/events";
import { conversationFor } from "../ask/conversation.ts";
import { finish } from "../ask/finish.ts";
import { follow, untilEnd } from "../ask/follow.ts";
import { jsonLines } from "../ask/json-lines.ts";
import { createShow } from "../ask/show.ts";
import type { Kay, Link } from "../kay.ts";
import { type ClientOptions, canHaveSession, clientOf, greet, openSession, type SessionClient } from "./open.ts";

const COMMAND = "kay attach";
/** Conversations among which one that is under way is looked for. */
const LOOKED_AT = 30;

/** `kay attach`: on a terminal a session in a conversation that goes on; elsewhere its newest generation, followed to its end or its next stop. */
export async function attach(kay: Kay, name: string | undefined, options: ClientOptions): Promise<void> {
  greet(kay);
  const link = await kay.link({ signedIn: true });
  const id = await conversationOf(link, name);
  if (canHaveSession(kay)) return openSession(kay, link, { ...options, resume: id, command: COMMAND });
  await followInScript(kay, link, id, clientOf(kay, COMMAND, options));
}

async function conversationOf(link: Link, name: string | undefined): Promise<string> {
  if (name === undefined) {
    const { data } = await link.api.sessions({ page: 1, limit: LOOKED_AT });
    const underWay = data.find(({ status }) => isUnderWay(status));
    if (underWay) return underWay.id;
  }
  return (await conversationFor(link, { resume: name ?? "latest" })) ?? "";
}

async function followInScript(kay: Kay, link: Link, id: string, client: SessionClient): Promise<void> {
  const { last_event: last, status } = await link.api.session(id);
  const { note, warn } = kay.out;
  const leaving = new AbortController();
  const signal = AbortSignal.any([kay.signal, leaving.signal]);
  const live = isUnderWay(status);
  const { seen, past } = await logOf(link.api.events(id, { live: false, signal, note, warn }));
  const events = link.api.events(id, { live, signal, note, warn, client });
  try {
    const { json } = kay.flags;
    const followed = await follow(kay, link, {
      parts: live ? untilEnd(events, last) : events,
      show: json ? jsonLines(kay, id) : createShow(kay),
      askable: false,
      client: client.id,
      seen,
      past,
    });
    await finish(kay, followed, { lines: json });
  } finally {
    leaving.abort();
  }
}

/** The numbers of the last event before the newest generation, and of the last that is told again: who was there is not. */
async function logOf(parts: AsyncIterable<NumberedPart>): Promise<{ seen: number; past: number }> {
  const log = { seen: 0, past: 0 };
  for await (const { number, part } of parts) {
    if (part.type === "start") log.seen = number - 1;
    if (part.type !== "data-presence") log.past = number;
  }
  return log;
}

function isUnderWay(status: string | undefined): boolean {
  return status !== undefined && !["completed", "cancelled", "error"].includes(status);
}
