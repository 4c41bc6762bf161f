import type { Hono } from "hono";
import type { SandboxFile } from "../files.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { toTs } from "./build.ts";
import { ensureIm } from "./conversations.ts";
import { findConversation, isMember, type MethodCall, registerMethod, slackError } from "./method.ts";
import { type Conversation, isIm, type Message, type Reply, type SlackState } from "./state.ts";
import { buildPermalink, toReplyView } from "./views.ts";

/** Longest text of a message, in characters. */
const LONGEST = 40_000;

/** Messages and reactions (docs.slack.dev/reference/methods, "chat" and "reactions"). */
export function registerChatMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  registerMethod(app, provider, "chat.postMessage", "chat:write", (call) => addMessage(call));
  registerMethod(app, provider, "chat.getPermalink", undefined, (call) => {
    const conversation = findConversation(call);
    const { root, message } = getMessage(conversation, call.args.message_ts);
    const thread = root === message ? undefined : root.ts;
    return { channel: conversation.id, permalink: buildPermalink(call.request, conversation, message.ts, thread) };
  });
  registerMethod(app, provider, "reactions.add", "reactions:write", (call) => react(call, true));
  registerMethod(app, provider, "reactions.remove", "reactions:write", (call) => react(call, false));
}

/** Posts a message of the caller, with files if there are any. @throws ApiError */
export function addMessage(call: MethodCall, files?: SandboxFile[]): Record<string, unknown> {
  const { args, me, provider, world } = call;
  const conversation = getTarget(call);
  if (!isIm(conversation)) {
    if (conversation.is_archived) throw slackError("is_archived");
    if (!isMember(conversation, me)) throw slackError("not_in_channel");
  }
  const text = args.text ?? "";
  if (text.trim() === "" && !files) throw slackError("no_text");
  if (text.length > LONGEST) throw slackError("msg_too_long");
  const ts = nextTs(conversation, provider.now());
  const message: Reply = { user: me.id, text, ts, reactions: [], ...(files ? { files } : {}) };
  const root = args.thread_ts ? getMessage(conversation, args.thread_ts, "thread_not_found").root : undefined;
  if (root) root.replies.push(message);
  else conversation.messages.push({ ...message, replies: [] });
  provider.save();
  const thread = root ? { thread_ts: root.ts, parent_user_id: root.user } : {};
  return { channel: conversation.id, ts: message.ts, message: { ...toReplyView({ world }, message), ...thread } };
}

/** Finds a conversation by ID, by `#name`, or by a user, for a direct message. */
function getTarget(call: MethodCall): Conversation {
  const { args, world } = call;
  const channel = args.channel ?? "";
  const namedChannel = world.channels.find(({ name }) => name === channel.replace(/^#/, ""));
  if (namedChannel) return findConversation({ ...call, args: { channel: namedChannel.id } });
  return /^U[A-Z0-9]+$/.test(channel) ? ensureIm(call, channel) : findConversation(call);
}

function react(call: MethodCall, add: boolean): Record<string, unknown> {
  const { args, me, provider } = call;
  const conversation = findConversation(call);
  const name = (args.name ?? "").replaceAll(":", "");
  if (!/^[a-z0-9_+'-]+$/.test(name)) throw slackError("invalid_name");
  if (!/^\d+\.\d+$/.test(args.timestamp ?? "")) throw slackError("bad_timestamp");
  const { message } = getMessage(conversation, args.timestamp);
  const reaction = message.reactions.find((reaction) => reaction.name === name);
  const hasReacted = reaction?.users.includes(me.id) ?? false;
  if (hasReacted === add) throw slackError(add ? "already_reacted" : "no_reaction");
  if (!add && reaction) reaction.users = reaction.users.filter((id) => id !== me.id);
  else if (reaction) reaction.users.push(me.id);
  else message.reactions.push({ name, users: [me.id] });
  message.reactions = message.reactions.filter(({ users }) => users.length > 0);
  provider.save();
  return {};
}

function getMessage(
  conversation: Conversation,
  ts: string | undefined,
  error = "message_not_found",
): { root: Message; message: Reply } {
  for (const root of conversation.messages) {
    const message = root.ts === ts ? root : root.replies.find((reply) => reply.ts === ts);
    if (message) return { root, message };
  }
  throw slackError(error);
}

/** Returns the next `ts` of a conversation: the current time, but later than all earlier ones. */
function nextTs({ messages }: Conversation, now: number): string {
  const stamps = messages.flatMap(({ ts, replies }) => [ts, ...replies.map((reply) => reply.ts)]);
  for (let ticks = 0; ; ticks++) {
    const ts = toTs(now, ticks);
    if (!stamps.includes(ts)) return ts;
  }
}
