import { requireUnique, SeedError } from "../provider.ts";
import { parseMoment } from "../seed-time.ts";
import type { LinkedinSeed } from "./seed.ts";
import type { LinkedinState, Member } from "./state.ts";

/** First ID of posts and comments; IDs increase by a step. */
const FIRST_POST = 7_390_000_000_000_000_000n;
const STEP = 1_000_003n;

/** Fills in a LinkedIn seed. @throws SeedFault */
export function buildLinkedin(data: LinkedinSeed, now: number): LinkedinState {
  const members = data.members.map((member) => ({
    ...member,
    family_name: member.family_name ?? "",
    locale: member.locale ?? { country: "US", language: "en" },
  }));
  requireUnique(
    members.map(({ sub }) => sub),
    (index) => `members[${index}].sub`,
  );
  const posts = (data.posts ?? []).map((post, index) => {
    const path = `posts[${index}]`;
    const publishedAt = parseMoment(post.publishedAt ?? "-7d", now, `${path}.publishedAt`);
    return {
      id: post.id ?? `urn:li:share:${FIRST_POST + STEP * BigInt(index)}`,
      author: findPerson(members, post.author, `${path}.author`),
      commentary: post.commentary,
      visibility: post.visibility ?? "PUBLIC",
      article: post.article ?? null,
      publishedAt,
      comments: (post.comments ?? []).map((comment, commentIndex) => ({
        id: comment.id ?? String(FIRST_POST + STEP * BigInt(1_000 * (index + 1) + commentIndex)),
        actor: findPerson(members, comment.actor, `${path}.comments[${commentIndex}].actor`),
        text: comment.text,
        created: comment.created
          ? parseMoment(comment.created, now, `${path}.comments[${commentIndex}].created`)
          : publishedAt,
      })),
      reactions: (post.reactions ?? []).map(({ actor, reactionType }, reactionIndex) => ({
        actor: findPerson(members, actor, `${path}.reactions[${reactionIndex}].actor`),
        reactionType,
      })),
    };
  });
  requireUnique(
    posts.map(({ id }) => id),
    (index) => `posts[${index}].id`,
  );
  return { members, posts };
}

/** Returns the next free ID. */
export function createNextId({ posts }: LinkedinState): string {
  const ids = posts.flatMap(({ id, comments }) => [id.replace(/\D/g, ""), ...comments.map((comment) => comment.id)]);
  const numbers = ids.filter((id) => /^\d+$/.test(id)).map(BigInt);
  const highest = [FIRST_POST, ...numbers].sort((a, b) => Number(a - b)).at(-1) ?? FIRST_POST;
  return String(highest + STEP);
}

function findPerson(members: Member[], reference: string, path: string): string {
  const member = members.find(({ sub, email, given_name, family_name }) =>
    [sub, email, `${given_name} ${family_name}`.trim()].includes(reference),
  );
  if (!member) throw new SeedError(path, `there is no member "${reference}"`);
  return member.sub;
}
