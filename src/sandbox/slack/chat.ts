import type { Hono } from "hono";
import type { Place, SandboxEnv } from "../provider.ts";
import { tsAt } from "./build.ts";
import { imWith } from "./conversations.ts";
import { type Call, conversationOf, isMember, method, SlackRefusal } from "./method.ts";
import { permalink, replyView } from "./views.ts";
import { type Conversation, isIm, type Message, type Reply, type SlackWorld } from "./world.ts";

/** Longest text of a message, in characters. */
const LONGEST = 40_000;

/** Messages and reactions (docs.slack.dev/reference/methods, "chat" and "reactions"). */
export function chatMethods(app: Hono<SandboxEnv>, place: Place<SlackWorld>): void {
  method(app, place, "chat.postMessage", "chat:write", post);
  method(app, place, "chat.getPermalink", undefined, (call) => {
    const conversation = conversationOf(call);
    const { root, message } = messageOf(conversation, call.args.message_ts);
    const thread = root === message ? undefined : root.ts;
    return { channel: conversation.id, permalink: permalink(call.request, conversation, message.ts, thread) };
  });
  method(app, place, "reactions.add", "reactions:write", (call) => react(call, true));
  method(app, place, "reactions.remove", "reactions:write", (call) => react(call, false));
}

function post(call: Call): Record<string, unknown> {
  const { args, me, place, world } = call;
  const conversation = targetOf(call);
  if (!isIm(conversation)) {
    if (conversation.is_archived) throw new SlackRefusal("is_archived");
    if (!isMember(conversation, me)) throw new SlackRefusal("not_in_channel");
  }
  const text = args.text ?? "";
  if (text.trim() === "") throw new SlackRefusal("no_text");
  if (text.length > LONGEST) throw new SlackRefusal("msg_too_long");
  const message: Reply = { user: me.id, text, ts: nextTs(conversation, place.now()), reactions: [] };
  const root = args.thread_ts ? messageOf(conversation, args.thread_ts, "thread_not_found").root : undefined;
  if (root) root.replies.push(message);
  else conversation.messages.push({ ...message, replies: [] });
  place.changed();
  const thread = root ? { thread_ts: root.ts, parent_user_id: root.user } : {};
  return { channel: conversation.id, ts: message.ts, message: { ...replyView({ world }, message), ...thread } };
}

/** By id, by `#name`, or a person, whose direct message it then is. */
function targetOf(call: Call): Conversation {
  const { args, world } = call;
  const wanted = args.channel ?? "";
  const named = world.channels.find(({ name }) => name === wanted.replace(/^#/, ""));
  if (named) return conversationOf({ ...call, args: { channel: named.id } });
  return /^U[A-Z0-9]+$/.test(wanted) ? imWith(call, wanted) : conversationOf(call);
}

function react(call: Call, add: boolean): Record<string, unknown> {
  const { args, me, place } = call;
  const conversation = conversationOf(call);
  const name = (args.name ?? "").replaceAll(":", "");
  if (!/^[a-z0-9_+'-]+$/.test(name)) throw new SlackRefusal("invalid_name");
  if (!/^\d+\.\d+$/.test(args.timestamp ?? "")) throw new SlackRefusal("bad_timestamp");
  const { message } = messageOf(conversation, args.timestamp);
  const reaction = message.reactions.find((one) => one.name === name);
  const has = reaction?.users.includes(me.id) ?? false;
  if (has === add) throw new SlackRefusal(add ? "already_reacted" : "no_reaction");
  if (!add && reaction) reaction.users = reaction.users.filter((id) => id !== me.id);
  else if (reaction) reaction.users.push(me.id);
  else message.reactions.push({ name, users: [me.id] });
  message.reactions = message.reactions.filter(({ users }) => users.length > 0);
  place.changed();
  return {};
}

function messageOf(
  conversation: Conversation,
  ts: string | undefined,
  error = "message_not_found",
): { root: Message; message: Reply } {
  for (const root of conversation.messages) {
    const message = root.ts === ts ? root : root.replies.find((one) => one.ts === ts);
    if (message) return { root, message };
  }
  throw new SlackRefusal(error);
}

/** The next `ts` of a conversation: of now, and later than every one before it. */
function nextTs({ messages }: Conversation, now: number): string {
  const taken = messages.flatMap(({ ts, replies }) => [ts, ...replies.map((one) => one.ts)]);
  for (let ticks = 0; ; ticks++) {
    const ts = tsAt(now, ticks);
    if (!taken.includes(ts)) return ts;
  }
}
