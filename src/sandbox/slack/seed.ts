import * as z from "zod/mini";
import { SandboxFile } from "../files.ts";

/** The Slack part of a seed. Names are Slack's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);

const User = z.strictObject({
  id: optional,
  /** The handle, without the `@`. */
  name: z.string().check(z.regex(/^[a-z0-9._-]+$/, "a handle has small letters, digits, ., _ and -")),
  real_name: text,
  /** Empty for a bot. */
  email: z.optional(z.string()),
  title: z.optional(z.string()),
  tz: optional,
  is_bot: z.optional(z.boolean()),
  deleted: z.optional(z.boolean()),
});

const Reaction = z.strictObject({ name: text, users: z.array(text).check(z.minLength(1)) });

const Reply = z.strictObject({
  user: text,
  text: z.string(),
  /** Slack's `1700000000.000100`, or a time: ISO 8601, or `-2h`. */
  ts: optional,
  reactions: z.optional(z.array(Reaction)),
  files: z.optional(z.array(SandboxFile)),
});

const Message = z.strictObject({ ...Reply.shape, replies: z.optional(z.array(Reply)) });

const Channel = z.strictObject({
  id: optional,
  name: z.string().check(z.regex(/^[\p{Ll}\p{N}_-]{1,80}$/u, "a channel has small letters, digits, - and _")),
  is_private: z.optional(z.boolean()),
  is_archived: z.optional(z.boolean()),
  topic: z.optional(z.string()),
  purpose: z.optional(z.string()),
  /** Its members; every account if omitted. */
  members: z.optional(z.array(text)),
  created: optional,
  messages: z.optional(z.array(Message)),
});

const Im = z.strictObject({
  id: optional,
  users: z.array(text).check(z.minLength(1), z.maxLength(2)),
  created: optional,
  messages: z.optional(z.array(Message)),
});

export const SlackSeed = z.strictObject({
  team: z.optional(
    z.strictObject({
      id: optional,
      name: text,
      domain: z.optional(z.string().check(z.regex(/^[a-z0-9-]+$/, "a domain has small letters, digits and -"))),
    }),
  ),
  users: z.array(User).check(z.minLength(1)),
  channels: z.optional(z.array(Channel)),
  ims: z.optional(z.array(Im)),
});
export type SlackSeed = z.infer<typeof SlackSeed>;
export type ChannelSeed = z.infer<typeof Channel>;
export type ImSeed = z.infer<typeof Im>;
export type MessageSeed = z.infer<typeof Message>;
