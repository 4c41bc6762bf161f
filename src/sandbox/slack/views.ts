import { getAvatarUrl } from "../files.ts";
import { isMember, type MethodCall } from "./method.ts";
import { type Channel, type Conversation, type Im, isIm, type Message, type Reply, type User } from "./state.ts";

/** Returns a user as `users.info` does; the address only with its scope. */
export function toUserView({ grant, world, request }: MethodCall, user: User) {
  const email = grant.scopes.includes("users:read.email") && user.email !== "" ? { email: user.email } : {};
  const [first_name = "", ...rest] = user.real_name.split(" ");
  const image = getAvatarUrl(request, user.real_name);
  return {
    id: user.id,
    team_id: world.team.id,
    name: user.name,
    deleted: user.deleted,
    color: "4bbe2e",
    real_name: user.real_name,
    tz: user.tz,
    profile: {
      title: user.title,
      phone: "",
      real_name: user.real_name,
      real_name_normalized: user.real_name,
      display_name: user.name,
      display_name_normalized: user.name,
      status_text: "",
      status_emoji: "",
      first_name,
      last_name: rest.join(" "),
      image_72: image,
      image_192: image,
      team: world.team.id,
      ...email,
    },
    is_admin: false,
    is_owner: false,
    is_restricted: false,
    is_bot: user.is_bot,
    is_app_user: false,
    updated: 1_700_000_000,
  };
}

export function toConversationView(call: MethodCall, conversation: Conversation) {
  return isIm(conversation) ? toImView(call, conversation) : toChannelView(call, conversation);
}

function toChannelView({ me, world }: MethodCall, channel: Channel) {
  const toTextValue = (value: string) => ({ value, creator: "", last_set: 0 });
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: !channel.is_private,
    is_group: channel.is_private,
    is_im: false,
    is_mpim: false,
    is_private: channel.is_private,
    created: toSeconds(channel.created),
    is_archived: channel.is_archived,
    is_general: channel.name === "general",
    is_shared: false,
    is_org_shared: false,
    context_team_id: world.team.id,
    creator: channel.members[0] ?? "",
    is_member: isMember(channel, me),
    topic: toTextValue(channel.topic),
    purpose: toTextValue(channel.purpose),
    previous_names: [],
    num_members: channel.members.length,
  };
}

function toImView({ me, world }: MethodCall, im: Im) {
  return {
    id: im.id,
    created: toSeconds(im.created),
    is_archived: false,
    is_im: true,
    is_org_shared: false,
    context_team_id: world.team.id,
    user: getPartner(im, me),
    is_user_deleted: false,
    priority: 0,
  };
}

/** Returns the other user of a direct message; the user themselves in their notes. */
export function getPartner({ users }: Im, me: User): string {
  return users.find((id) => id !== me.id) ?? me.id;
}

/** Returns a message of a conversation, with a summary of its thread. */
export function toMessageView({ world }: Pick<MethodCall, "world">, message: Message) {
  const { replies } = message;
  const users = [...new Set(replies.map(({ user }) => user))];
  return {
    ...toReplyView({ world }, message),
    ...(replies.length === 0
      ? {}
      : {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users_count: users.length,
          latest_reply: replies.at(-1)?.ts,
          reply_users: users,
          is_locked: false,
          subscribed: false,
        }),
  };
}

export function toReplyView({ world }: Pick<MethodCall, "world">, { user, text, ts, reactions, files }: Reply) {
  return {
    user,
    type: "message",
    ts,
    text,
    team: world.team.id,
    ...(files
      ? { files: files.map(({ id, filename, size }) => ({ id, name: filename, title: filename, size, user })) }
      : {}),
    ...(reactions.length === 0
      ? {}
      : { reactions: reactions.map(({ name, users }) => ({ name, users, count: users.length })) }),
  };
}

/** Returns the URL of a message's page, on the requested origin. */
export function buildPermalink(request: Request, conversation: Conversation, ts: string, thread?: string): string {
  const url = `${new URL(request.url).origin}/archives/${conversation.id}/p${ts.replace(".", "")}`;
  return thread ? `${url}?thread_ts=${thread}&cid=${conversation.id}` : url;
}

function toSeconds(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
