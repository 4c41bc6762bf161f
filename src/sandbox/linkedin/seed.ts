import * as z from "zod/mini";
import { REACTIONS } from "./state.ts";

/** The LinkedIn part of a seed. Names are LinkedIn's own; everything that can be generated may be omitted. */

const text = z.string().check(z.minLength(1));
const optional = z.optional(text);

const Member = z.strictObject({
  sub: text,
  given_name: text,
  family_name: z.optional(z.string()),
  email: text,
  locale: z.optional(z.strictObject({ country: text, language: text })),
});

const Post = z.strictObject({
  id: z.optional(z.string().check(z.regex(/^urn:li:(share|ugcPost):\d+$/, "an id is urn:li:share: and digits"))),
  /** `sub`, name or address of a member; the same for every person below. */
  author: text,
  commentary: z.string(),
  visibility: z.optional(z.enum(["PUBLIC", "CONNECTIONS", "LOGGED_IN"])),
  article: z.optional(z.nullable(z.strictObject({ source: text, title: text }))),
  publishedAt: optional,
  comments: z.optional(z.array(z.strictObject({ id: optional, actor: text, text, created: optional }))),
  reactions: z.optional(z.array(z.strictObject({ actor: text, reactionType: z.enum(REACTIONS) }))),
});

export const LinkedinSeed = z.strictObject({
  members: z.array(Member).check(z.minLength(1)),
  posts: z.optional(z.array(Post)),
});
export type LinkedinSeed = z.infer<typeof LinkedinSeed>;

const DANA = "dDemo7Kq1Z";
const SAM = "sSample3Xw";

/** The built-in world: two members and what they posted. */
export const DEFAULT_SEED: LinkedinSeed = {
  members: [
    { sub: DANA, given_name: "Dana", family_name: "Demo", email: "dana@example.com" },
    { sub: SAM, given_name: "Sam", family_name: "Sample", email: "sam@example.com" },
  ],
  posts: [
    {
      author: SAM,
      commentary:
        "kay asks before it changes anything. That took longer than we thought, and it was worth it. #terminal",
      publishedAt: "-3d",
      comments: [{ actor: DANA, text: "The part where it waits is the best part.", created: "-2d" }],
      reactions: [{ actor: DANA, reactionType: "PRAISE" }],
    },
    {
      author: DANA,
      commentary: "We are two, and we read every issue. Write to us.",
      visibility: "CONNECTIONS",
      publishedAt: "-12d",
    },
  ],
};
