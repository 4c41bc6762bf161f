import type { Hono } from "hono";
import type { Place, SandboxEnv } from "../provider.ts";
import { slackId } from "./build.ts";
import {
  type Call,
  conversationOf,
  isMember,
  isVisible,
  method,
  need,
  paged,
  SlackRefusal,
  scopeFor,
} from "./method.ts";
import { conversationView, messageView, replyView } from "./views.ts";
import { type Im, isIm, type SlackWorld } from "./world.ts";

/** Scope that each type of conversation needs to be listed. */
const TYPES: Record<string, string> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  im: "im:read",
  mpim: "mpim:read",
};

/** Channels, direct messages and what is said in them (docs.slack.dev/reference/methods, "conversations"). */
export function conversationMethods(app: Hono<SandboxEnv>, place: Place<SlackWorld>): void {
  method(app, place, "conversations.list", undefined, list);
  method(app, place, "conversations.info", undefined, (call) => {
    const conversation = conversationOf(call);
    need(call, scopeFor(conversation, "read"));
    return { channel: conversationView(call, conversation) };
  });
  method(app, place, "conversations.members", undefined, (call) => {
    const conversation = conversationOf(call);
    need(call, scopeFor(conversation, "read"));
    const { page, next } = paged(call, isIm(conversation) ? conversation.users : conversation.members);
    return { members: page, response_metadata: { next_cursor: next } };
  });
  method(app, place, "conversations.history", undefined, history);
  method(app, place, "conversations.replies", undefined, replies);
  method(app, place, "conversations.open", "im:write", open);
  method(app, place, "conversations.join", "channels:write", (call) => {
    const channel = conversationOf(call);
    if (isIm(channel)) throw new SlackRefusal("method_not_supported_for_channel_type");
    if (channel.is_archived) throw new SlackRefusal("is_archived");
    if (!isMember(channel, call.me)) channel.members.push(call.me.id);
    place.changed();
    return { channel: conversationView(call, channel) };
  });
}

function list(call: Call): Record<string, unknown> {
  const { args, world, me } = call;
  const types = (args.types || "public_channel").split(",").map((type) => type.trim());
  for (const type of types) {
    const scope = TYPES[type];
    if (scope === undefined) throw new SlackRefusal("invalid_types");
    need(call, scope);
  }
  const found = [...world.channels, ...world.ims].filter((conversation) => {
    if (isIm(conversation)) return types.includes("im") && isVisible(conversation, me);
    const type = conversation.is_private ? "private_channel" : "public_channel";
    return (
      types.includes(type) &&
      isVisible(conversation, me) &&
      !(args.exclude_archived === "true" && conversation.is_archived)
    );
  });
  const { page, next } = paged(call, found, { most: 999 });
  return {
    channels: page.map((conversation) => conversationView(call, conversation)),
    response_metadata: { next_cursor: next },
  };
}

function history(call: Call): Record<string, unknown> {
  const conversation = conversationOf(call);
  need(call, scopeFor(conversation, "history"));
  const { oldest = "0", latest, inclusive } = call.args;
  const within = (ts: string) => {
    const [from, to] = [Number(ts) - Number(oldest), Number(latest || Number.MAX_SAFE_INTEGER) - Number(ts)];
    return (from > 0 && to > 0) || (inclusive === "true" && from >= 0 && to >= 0);
  };
  const { page, next } = paged(call, conversation.messages.filter(({ ts }) => within(ts)).toReversed(), { most: 999 });
  return {
    messages: page.map((message) => messageView(call, message)),
    has_more: next !== "",
    pin_count: 0,
    ...(next === "" ? {} : { response_metadata: { next_cursor: next } }),
  };
}

function replies(call: Call): Record<string, unknown> {
  const conversation = conversationOf(call);
  need(call, scopeFor(conversation, "history"));
  const { ts } = call.args;
  const root = conversation.messages.find(
    (message) => message.ts === ts || message.replies.some((one) => one.ts === ts),
  );
  if (!root) throw new SlackRefusal("thread_not_found");
  const thread = root.replies.map((one) => ({
    ...replyView(call, one),
    thread_ts: root.ts,
    parent_user_id: root.user,
  }));
  const { page, next } = paged(call, [messageView(call, root), ...thread]);
  return {
    messages: page,
    has_more: next !== "",
    ...(next === "" ? {} : { response_metadata: { next_cursor: next } }),
  };
}

function open(call: Call): Record<string, unknown> {
  const { args, place } = call;
  if (args.channel) {
    const conversation = conversationOf(call);
    return { no_op: true, already_open: true, channel: { id: conversation.id } };
  }
  const ids = (args.users ?? "").split(",").filter(Boolean);
  if (ids.length === 0) throw new SlackRefusal("users_list_not_supplied");
  if (ids.length > 1) throw new SlackRefusal("method_not_supported_for_channel_type");
  const before = call.world.ims.length;
  const im = imWith(call, ids[0] ?? "");
  const already = call.world.ims.length === before;
  if (!already) place.changed();
  return { ...(already ? { no_op: true, already_open: true } : {}), channel: { id: im.id } };
}

/** The direct message with somebody, opened if there is none yet. @throws SlackRefusal `user_not_found`, `cannot_dm_bot` */
export function imWith({ world, me, place }: Call, id: string): Im {
  const user = world.users.find((one) => one.id === id && !one.deleted);
  if (!user) throw new SlackRefusal("user_not_found");
  if (user.is_bot) throw new SlackRefusal("cannot_dm_bot");
  const users = [...new Set([me.id, user.id])];
  const same = (im: Im) => im.users.length === users.length && users.every((one) => im.users.includes(one));
  const found = world.ims.find(same);
  if (found) return found;
  const im: Im = {
    id: slackId("D", users.toSorted().join(" ")),
    users,
    created: new Date(place.now()).toISOString(),
    messages: [],
  };
  world.ims.push(im);
  return im;
}
