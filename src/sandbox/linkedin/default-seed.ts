import type { LinkedinSeed } from "./seed.ts";

const DANA = "dDemo7Kq1Z";
const SAM = "sSample3Xw";

/** The small built-in world: two members and what they posted. */
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
