import { hash } from "node:crypto";
import { spellBytes } from "../ids.ts";
import {
  createSeedLookup,
  parseMoment,
  requireUnique,
  requireUniqueValues,
  SeedError,
  type SeedLookup,
} from "../seed-build.ts";
import type { ChannelSeed, ImSeed, MessageSeed, SlackSeed } from "./seed.ts";
import type { Channel, Im, Message, Reply, SlackState, User } from "./state.ts";

type Lookup = SeedLookup & { everybody: string[] };

/** Fills in a Slack seed. @throws SeedError */
export function buildSlack(data: SlackSeed, now: number): SlackState {
  const { name = "Kay Demo", domain, id } = data.team ?? {};
  const users = data.users.map(
    (user): User => ({
      id: user.id ?? createSlackId("U", `user ${user.name}`),
      name: user.name,
      real_name: user.real_name,
      email: user.email ?? (user.is_bot ? "" : `${user.name}@example.com`),
      title: user.title ?? "",
      tz: user.tz ?? "Etc/UTC",
      is_bot: user.is_bot ?? false,
      deleted: user.deleted ?? false,
    }),
  );
  requireUnique(users, "users", "name");
  requireUnique(users, "users", "id");
  if (users.every((user) => user.is_bot || user.deleted))
    throw new SeedError("users", "there is no user who can consent");
  const lookup: Lookup = {
    ...createSeedLookup(
      users.map(({ id, name, real_name, email }) => ({ id, names: [name, `@${name}`, real_name, email] })),
      { now, days: 90, noun: "user" },
    ),
    everybody: users.filter(({ deleted }) => !deleted).map((user) => user.id),
  };
  const channels = (data.channels ?? []).map((data, index) => buildChannel(data, lookup, `channels[${index}]`));
  requireUnique(channels, "channels", "name");
  const ims = (data.ims ?? []).map((im, index) => buildIm(im, lookup, `ims[${index}]`));
  return {
    team: { id: id ?? createSlackId("T", `team ${name}`), name, domain: domain ?? toSlug(name) },
    users,
    channels,
    ims,
  };
}

/** Derives an ID like Slack's, always the same for the same name. */
export function createSlackId(kind: "C" | "D" | "T" | "U", name: string): string {
  const digest = hash("sha256", `${kind} ${name}`, "buffer");
  return `${kind}0${spellBytes(digest.subarray(0, 9), DIGITS)}`;
}

const DIGITS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Returns the `ts` of a time in milliseconds; `ticks` distinguishes messages of the same time. */
export function toTs(milliseconds: number, ticks: number): string {
  return `${Math.floor(milliseconds / 1000)}.${String((milliseconds % 1000) * 1000 + ticks).padStart(6, "0")}`;
}

function buildChannel(data: ChannelSeed, lookup: Lookup, path: string): Channel {
  return {
    id: data.id ?? createSlackId("C", `channel ${data.name}`),
    name: data.name,
    is_private: data.is_private ?? false,
    is_archived: data.is_archived ?? false,
    topic: data.topic ?? "",
    purpose: data.purpose ?? "",
    members: data.members ? lookup.people(data.members, `${path}.members`) : lookup.everybody,
    created: lookup.time(data.created, lookup.longAgo, `${path}.created`),
    messages: buildMessages(data.messages, lookup, path),
  };
}

function buildIm(data: ImSeed, lookup: Lookup, path: string): Im {
  const users = [...new Set(lookup.people(data.users, `${path}.users`))];
  return {
    id: data.id ?? createSlackId("D", users.toSorted().join(" ")),
    users,
    created: lookup.time(data.created, lookup.longAgo, `${path}.created`),
    messages: buildMessages(data.messages, lookup, path),
  };
}

/** Sorts messages, oldest first; those without a time are a minute apart, up to now. */
function buildMessages(seeds: MessageSeed[] | undefined, lookup: Lookup, path: string): Message[] {
  const list = (seeds ?? []).map((data, index): Message => {
    const messagePath = `${path}.messages[${index}]`;
    const root = buildReply(data, lookup.now - ((seeds?.length ?? 0) - index) * 60_000, index, lookup, messagePath);
    const replies = (data.replies ?? []).map((reply, number) =>
      buildReply(
        reply,
        Number(root.ts) * 1000 + (number + 1) * 30_000,
        index,
        lookup,
        `${messagePath}.replies[${number}]`,
      ),
    );
    return { ...root, replies };
  });
  list.sort((a, b) => a.ts.localeCompare(b.ts));
  requireUniqueValues(
    list.flatMap((message) => [message.ts, ...message.replies.map(({ ts }) => ts)]),
    () => `${path}.messages`,
  );
  return list;
}

function buildReply(
  data: Omit<MessageSeed, "replies">,
  fallback: number,
  index: number,
  lookup: Lookup,
  path: string,
): Reply {
  const { ts = new Date(fallback).toISOString() } = data;
  return {
    user: lookup.person(data.user, `${path}.user`),
    text: data.text,
    ts: /^\d{10}\.\d{6}$/.test(ts) ? ts : toTs(Date.parse(parseMoment(ts, lookup.now, `${path}.ts`)), 100 + index),
    reactions: (data.reactions ?? []).map(({ name, users }, number) => ({
      name,
      users: lookup.people(users, `${path}.reactions[${number}].users`),
    })),
    ...(data.files ? { files: data.files } : {}),
  };
}

function toSlug(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "") || "team"
  );
}
