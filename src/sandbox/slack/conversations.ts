import type { Hono } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { createSlackId } from "./build.ts";
import {
  canSee,
  findConversation,
  getScope,
  isMember,
  type MethodCall,
  paginate,
  registerMethod,
  requireScope,
  slackError,
} from "./method.ts";
import { type Im, isIm, type SlackState } from "./state.ts";
import { toConversationView, toMessageView, toReplyView } from "./views.ts";

/** Scope that each type of conversation needs to be listed. */
const TYPES: Record<string, string> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  im: "im:read",
  mpim: "mpim:read",
};

/** Channels, direct messages and their messages (docs.slack.dev/reference/methods, "conversations"). */
export function registerConversationMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  registerMethod(app, provider, "conversations.list", undefined, list);
  registerMethod(app, provider, "conversations.info", undefined, (call) => {
    const conversation = findConversation(call);
    requireScope(call, getScope(conversation, "read"));
    return { channel: toConversationView(call, conversation) };
  });
  registerMethod(app, provider, "conversations.members", undefined, (call) => {
    const conversation = findConversation(call);
    requireScope(call, getScope(conversation, "read"));
    const { page, next } = paginate(call, isIm(conversation) ? conversation.users : conversation.members);
    return { members: page, response_metadata: { next_cursor: next } };
  });
  registerMethod(app, provider, "conversations.history", undefined, readHistory);
  registerMethod(app, provider, "conversations.replies", undefined, readReplies);
  registerMethod(app, provider, "conversations.open", "im:write", open);
  registerMethod(app, provider, "conversations.join", "channels:write", (call) => {
    const channel = findConversation(call);
    if (isIm(channel)) throw slackError("method_not_supported_for_channel_type");
    if (channel.is_archived) throw slackError("is_archived");
    if (!isMember(channel, call.me)) channel.members.push(call.me.id);
    provider.save();
    return { channel: toConversationView(call, channel) };
  });
}

function list(call: MethodCall): Record<string, unknown> {
  const { args, world, me } = call;
  const types = (args.types || "public_channel").split(",").map((type) => type.trim());
  for (const type of types) {
    const scope = TYPES[type];
    if (scope === undefined) throw slackError("invalid_types");
    requireScope(call, scope);
  }
  const conversations = [...world.channels, ...world.ims].filter((conversation) => {
    if (isIm(conversation)) return types.includes("im") && canSee(conversation, me);
    const type = conversation.is_private ? "private_channel" : "public_channel";
    return (
      types.includes(type) &&
      canSee(conversation, me) &&
      !(args.exclude_archived === "true" && conversation.is_archived)
    );
  });
  const { page, next } = paginate(call, conversations, { most: 999 });
  return {
    channels: page.map((conversation) => toConversationView(call, conversation)),
    response_metadata: { next_cursor: next },
  };
}

function readHistory(call: MethodCall): Record<string, unknown> {
  const conversation = findConversation(call);
  requireScope(call, getScope(conversation, "history"));
  const { oldest = "0", latest, inclusive } = call.args;
  const isWithin = (ts: string) => {
    const [from, to] = [Number(ts) - Number(oldest), Number(latest || Number.MAX_SAFE_INTEGER) - Number(ts)];
    return (from > 0 && to > 0) || (inclusive === "true" && from >= 0 && to >= 0);
  };
  const { page, next } = paginate(call, conversation.messages.filter(({ ts }) => isWithin(ts)).toReversed(), {
    most: 999,
  });
  return {
    messages: page.map((message) => toMessageView(call, message)),
    has_more: next !== "",
    pin_count: 0,
    ...(next === "" ? {} : { response_metadata: { next_cursor: next } }),
  };
}

function readReplies(call: MethodCall): Record<string, unknown> {
  const conversation = findConversation(call);
  requireScope(call, getScope(conversation, "history"));
  const { ts } = call.args;
  const root = conversation.messages.find(
    (message) => message.ts === ts || message.replies.some((reply) => reply.ts === ts),
  );
  if (!root) throw slackError("thread_not_found");
  const thread = root.replies.map((reply) => ({
    ...toReplyView(call, reply),
    thread_ts: root.ts,
    parent_user_id: root.user,
  }));
  const { page, next } = paginate(call, [toMessageView(call, root), ...thread]);
  return {
    messages: page,
    has_more: next !== "",
    ...(next === "" ? {} : { response_metadata: { next_cursor: next } }),
  };
}

function open(call: MethodCall): Record<string, unknown> {
  const { args, provider } = call;
  if (args.channel) {
    const conversation = findConversation(call);
    return { no_op: true, already_open: true, channel: { id: conversation.id } };
  }
  const ids = (args.users ?? "").split(",").filter(Boolean);
  if (ids.length === 0) throw slackError("users_list_not_supplied");
  if (ids.length > 1) throw slackError("method_not_supported_for_channel_type");
  const oldCount = call.world.ims.length;
  const im = ensureIm(call, ids[0] ?? "");
  const isOpen = call.world.ims.length === oldCount;
  if (!isOpen) provider.save();
  return { ...(isOpen ? { no_op: true, already_open: true } : {}), channel: { id: im.id } };
}

/**
 * Returns the direct message with a user, opened if there is none yet. @throws ApiError `user_not_found`,
 * `cannot_dm_bot`
 */
export function ensureIm({ world, me, provider }: MethodCall, id: string): Im {
  const user = world.users.find((user) => user.id === id && !user.deleted);
  if (!user) throw slackError("user_not_found");
  if (user.is_bot) throw slackError("cannot_dm_bot");
  const users = [...new Set([me.id, user.id])];
  const hasSameUsers = (im: Im) =>
    im.users.length === users.length && users.every((userId) => im.users.includes(userId));
  const match = world.ims.find(hasSameUsers);
  if (match) return match;
  const im: Im = {
    id: createSlackId("D", users.toSorted().join(" ")),
    users,
    created: provider.timestamp(),
    messages: [],
  };
  world.ims.push(im);
  return im;
}
