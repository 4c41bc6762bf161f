import { createSeedLookup, requireUnique } from "../seed-build.ts";
import type { LinkedinSeed } from "./seed.ts";
import type { LinkedinState } from "./state.ts";

/** First ID of posts and comments; IDs increase by a step. */
const FIRST_POST = 7_390_000_000_000_000_000n;
const STEP = 1_000_003n;

/** Fills in a LinkedIn seed. @throws SeedError */
export function buildLinkedin(data: LinkedinSeed, now: number): LinkedinState {
  const members = data.members.map((member) => ({
    ...member,
    family_name: member.family_name ?? "",
    locale: member.locale ?? { country: "US", language: "en" },
  }));
  requireUnique(members, "members", "sub");
  const { person, time, longAgo } = createSeedLookup(
    members.map(({ sub, email, given_name, family_name }) => ({
      id: sub,
      names: [email, `${given_name} ${family_name}`.trim()],
    })),
    { now, days: 7, noun: "member" },
  );
  const posts = (data.posts ?? []).map((post, index) => {
    const path = `posts[${index}]`;
    const publishedAt = time(post.publishedAt, longAgo, `${path}.publishedAt`);
    return {
      id: post.id ?? `urn:li:share:${FIRST_POST + STEP * BigInt(index)}`,
      author: person(post.author, `${path}.author`),
      commentary: post.commentary,
      visibility: post.visibility ?? "PUBLIC",
      article: post.article ?? null,
      publishedAt,
      comments: (post.comments ?? []).map((comment, commentIndex) => ({
        id: comment.id ?? String(FIRST_POST + STEP * BigInt(1_000 * (index + 1) + commentIndex)),
        actor: person(comment.actor, `${path}.comments[${commentIndex}].actor`),
        text: comment.text,
        created: time(comment.created, publishedAt, `${path}.comments[${commentIndex}].created`),
      })),
      reactions: (post.reactions ?? []).map(({ actor, reactionType }, reactionIndex) => ({
        actor: person(actor, `${path}.reactions[${reactionIndex}].actor`),
        reactionType,
      })),
    };
  });
  requireUnique(posts, "posts", "id");
  return { members, posts };
}

/** Returns the next free ID. */
export function createNextId({ posts }: LinkedinState): string {
  const ids = posts.flatMap(({ id, comments }) => [id.replace(/\D/g, ""), ...comments.map((comment) => comment.id)]);
  const numbers = ids.filter((id) => /^\d+$/.test(id)).map(BigInt);
  const highest = [FIRST_POST, ...numbers].sort((a, b) => Number(a - b)).at(-1) ?? FIRST_POST;
  return String(highest + STEP);
}
