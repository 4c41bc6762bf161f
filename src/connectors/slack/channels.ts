import * as z from "zod/mini";
import { suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { ListRequest } from "../http/pages.ts";
import type { Purpose } from "../match.ts";
import { type ToolContext, withDescription } from "../tool.ts";
import { callMethod, callReadMethod, readAllItems } from "./call.ts";
import { findPerson, getUserName, type User } from "./people.ts";

const Words = z.nullish(z.looseObject({ value: z.nullish(z.string()) }));

/** A conversation. Source: https://docs.slack.dev/reference/objects/conversation-object/ */
export const Channel = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  user: z.nullish(z.string()),
  is_private: z.nullish(z.boolean()),
  is_ext_shared: z.nullish(z.boolean()),
  is_member: z.nullish(z.boolean()),
  is_archived: z.nullish(z.boolean()),
  num_members: z.nullish(z.number()),
  topic: Words,
  purpose: Words,
});
export type Channel = z.output<typeof Channel>;

/** A conversation with its display name: `#general`, `@Sam Sample`. */
export type Conversation = { id: string; name: string };

type Context = Pick<ToolContext, "http" | "metadata">;

/** The field of a tool that names a conversation. */
export const CHANNEL_FIELD = withDescription(
  z.string(),
  "Channel such as #general, or a user for direct messages: @name or email address.",
);

/** Why a conversation is looked up. */
type Use = Purpose | "send";

/** Largest page size of Slack. */
const PAGE = 999;

/** Lists the channels that the account can see and that `isWanted`, up to `enough`. */
export function listChannels(
  context: Context,
  enough: ListRequest | ((channels: Channel[]) => boolean),
  isWanted?: (channel: Channel) => boolean,
) {
  const query = { types: "public_channel,private_channel", exclude_archived: true, limit: PAGE };
  const list = { name: "channels", item: Channel, query, scope: "channels:read", isWanted };
  return readAllItems(context.http, "conversations.list", list, enough);
}

/**
 * Finds a channel or direct message by `#general`, `general`, `@sam`, `Sam Sample`, an email address, an ID or a URL.
 *
 * @param use "send" opens a new direct message if needed. For a change, `sam` means only the channel, so that a message
 * approved for `#sam` never reaches a user of that name.
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function findConversation(context: Context, text: string, use: Use): Promise<Conversation> {
  const name = text.trim();
  const id = findConversationId(name);
  if (id) return toConversation(await fetchChannel(context, id));
  if (name.startsWith("#")) return toConversation(await findChannelByName(context, name));
  if (isPerson(name)) return withPerson(context, name, use);
  try {
    return toConversation(await findChannelByName(context, name));
  } catch (error) {
    const person = await findPerson(context, name, "read").catch(() => undefined);
    if (!person || !(error instanceof Problem)) throw error;
    if (use === "read") return withPerson(context, person.id, use);
    const hint = `To write to ${getUserName(person)}, use @${person.name ?? person.id}.`;
    throw new Problem(error.code, error.message, { hint, details: error.details, cause: error });
  }
}

/**
 * Describes a conversation for the approval of a call. The name of a channel speaks for itself, unless others than the
 * members of the workspace read it, or not all of them.
 *
 * @throws Problem INVALID_REQUEST when none or several match
 */
export async function describeConversation(context: Context, text: string): Promise<string> {
  const name = text.trim();
  const id = findConversationId(name);
  if (!id && !name.startsWith("#") && isPerson(name)) return describePerson(await findPerson(context, name, "change"));
  const channel = id ? await fetchChannel(context, id) : await findChannelByName(context, name);
  if (channel.user) return `direct messages with ${describePerson(await findPerson(context, channel.user, "change"))}`;
  const label = `#${channel.name ?? channel.id}`;
  if (channel.is_ext_shared) return `${label}, a channel shared with another organization`;
  if (channel.is_private) return `${label}, a private channel`;
  return id ? `${label}, a channel` : "";
}

function describePerson(user: User): string {
  const accounts = [user.name && `@${user.name}`, user.profile?.email, user.id].filter(Boolean);
  return `${getUserName(user)} (${accounts.join(", ")})`;
}

/** Formats a conversation for a summary, before anything is validated: `general` is a channel, `Sam Sample` a user. */
export function formatConversation(text: string): string {
  const name = text.trim();
  if (/^[#@<]|^https?:/.test(name) || findConversationId(name) || isPerson(name)) return name;
  return /^[\p{Ll}\p{N}_-]+$/u.test(name) ? `#${name}` : name;
}

/**
 * Returns a conversation as the text of an approval names it: `#general` for a channel; `@sam`, an email address or an
 * ID for a user.
 *
 * @returns undefined for anything else
 */
export function formatConversationPlace(text: string): string | undefined {
  const name = text.normalize("NFC").replace(/\s+/g, " ").trim();
  const id = findConversationId(name);
  if (id) return `the conversation ${id.toUpperCase()}`;
  if (name.startsWith("#") || !isPerson(name)) {
    const channel = name.replace(/^#/, "").toLowerCase();
    return /^[\p{L}\p{M}\p{N}_-]+$/u.test(channel) ? `#${channel}` : undefined;
  }
  const person = name.replace(/^<@([A-Z0-9]+)(\|[^>]*)?>$/, "$1").replace(/^@/, "");
  if (/^(me|myself|i)$/i.test(person)) return "yourself";
  if (/^[UW][A-Z0-9]{7,}$/.test(person)) return `the person ${person}`;
  if (/^[^@\s“”\p{C}]+@(?:[^@\s“”\p{C}.]+\.)+[^@\s“”\p{C}.]+$/u.test(person)) return person.toLowerCase();
  return /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .'’_-]*$/u.test(person) ? `@${person.toLowerCase()}` : undefined;
}

/** Returns the conversation as a destination. A message to the user reaches no one else. */
export function listDestinations(channel: string): string[] {
  const place = formatConversationPlace(channel) ?? channel.trim();
  return place === "yourself" ? [] : [place];
}

function findConversationId(text: string): string | undefined {
  return (
    /^<#([A-Z0-9]+)(?:\|[^>]*)?>$/.exec(text)?.[1] ??
    /^https?:\/\/[^/]+\/archives\/([A-Z0-9]+)/i.exec(text)?.[1] ??
    /^([CGD][A-Z0-9]{7,})$/.exec(text)?.[1]
  );
}

/** Channel names have no capital letters and no spaces. */
function isPerson(name: string): boolean {
  return /^@|^<@|^[UW][A-Z0-9]{7,}$|\S@\S|^(me|myself|i)$/i.test(name) || /\s|\p{Lu}/u.test(name);
}

async function fetchChannel(context: Context, id: string): Promise<Channel> {
  const request = {
    query: { channel: id },
    answer: z.looseObject({ channel: Channel }),
    scope: "channels:read",
  };
  return (await callReadMethod(context.http, "conversations.info", request)).channel;
}

function toConversation({ id, name }: Channel): Conversation {
  return { id, name: name ? `#${name}` : "the direct message" };
}

async function findChannelByName(context: Context, text: string): Promise<Channel> {
  const name = text.replace(/^#/, "").toLowerCase();
  const isIt = (channel: Channel) => channel.name?.toLowerCase() === name;
  const { items } = await listChannels(context, (page) => page.some(isIt));
  const match = items.find(isIt);
  if (match) return match;
  const names = items.flatMap((channel) => channel.name ?? []);
  throw new Problem("INVALID_REQUEST", `No channel in Slack is called “#${name}”, or this account cannot see it.`, {
    hint: suggestName(name, names, (near) => `#${near}`) || "List the channels first.",
  });
}

async function withPerson(context: Context, name: string, use: Use): Promise<Conversation> {
  const user = await findPerson(context, name, use === "read" ? "read" : "change");
  const label = `@${getUserName(user)}`;
  if (use === "send") {
    const answer = z.looseObject({ channel: z.looseObject({ id: z.string() }) });
    // Opens a direct message. Repeating it returns the same one and notifies no one, so it may be repeated like a read.
    const request = { body: { users: user.id }, answer, scope: "im:write", reads: true };
    return { id: (await callMethod(context.http, "conversations.open", request)).channel.id, name: label };
  }
  const list = { name: "channels", item: Channel, query: { types: "im", limit: PAGE }, scope: "im:read" };
  const isIt = (channel: Channel) => channel.user === user.id;
  const { items } = await readAllItems(context.http, "conversations.list", list, (page) => page.some(isIt));
  const match = items.find(isIt);
  if (match) return { id: match.id, name: label };
  throw new Problem("INVALID_REQUEST", `You and ${getUserName(user)} have no messages in Slack.`, {
    hint: "Send a message first.",
  });
}
