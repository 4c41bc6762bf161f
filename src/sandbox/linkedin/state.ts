/**
 * The world of the LinkedIn stand-in: a seed with everything filled in. Members are identified by `sub`, times are ISO
 * 8601 in UTC.
 */
export type LinkedinState = { members: Member[]; posts: Post[] };

export type Member = {
  sub: string;
  given_name: string;
  family_name: string;
  email: string;
  locale: { country: string; language: string };
};

/** A post; its text is in LinkedIn's "little" format. */
export type Post = {
  id: string;
  author: string;
  commentary: string;
  visibility: "PUBLIC" | "CONNECTIONS" | "LOGGED_IN";
  article: { source: string; title: string } | null;
  publishedAt: string;
  comments: Comment[];
  reactions: { actor: string; reactionType: Reaction }[];
};

export type Comment = { id: string; actor: string; text: string; created: string };

export const REACTIONS = ["LIKE", "PRAISE", "EMPATHY", "INTEREST", "APPRECIATION", "ENTERTAINMENT"] as const;
type Reaction = (typeof REACTIONS)[number];
