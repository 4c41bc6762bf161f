import type { SandboxFile } from "../files.ts";

/**
 * The world of the Slack stand-in: a seed with everything filled in. People are ids, `ts` is Slack's, `created` is ISO
 * 8601 in UTC.
 */
export type SlackState = {
  team: { id: string; name: string; domain: string };
  users: User[];
  channels: Channel[];
  ims: Im[];
};

export type User = {
  id: string;
  name: string;
  real_name: string;
  email: string;
  title: string;
  tz: string;
  is_bot: boolean;
  deleted: boolean;
};

export type Channel = {
  id: string;
  name: string;
  is_private: boolean;
  is_archived: boolean;
  topic: string;
  purpose: string;
  members: string[];
  created: string;
  messages: Message[];
};

/** A direct message between two users, or a user's notes to themselves. */
export type Im = { id: string; users: string[]; created: string; messages: Message[] };

export type Conversation = Channel | Im;

export type Reply = {
  user: string;
  text: string;
  ts: string;
  reactions: { name: string; users: string[] }[];
  files?: SandboxFile[];
};

export type Message = Reply & { replies: Reply[] };

/** Whether a conversation is between people rather than in a channel. */
export function isIm(conversation: Conversation): conversation is Im {
  return "users" in conversation;
}
