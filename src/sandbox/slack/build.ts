import { createHash } from "node:crypto";
import { requireUnique, SeedError } from "../provider.ts";
import { parseMoment } from "../seed-time.ts";
import type { ChannelSeed, ImSeed, MessageSeed, SlackSeed } from "./seed.ts";
import type { Channel, Im, Message, Reply, SlackState, User } from "./state.ts";

type Lookup = { now: number; longAgo: string; everybody: string[]; person(wanted: string, path: string): string };

/** Fills in a Slack seed. @throws SeedFault */
export function buildSlack(seed: SlackSeed, now: number): SlackState {
  const { name = "Kay Demo", domain, id } = seed.team ?? {};
  const users = seed.users.map(
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
  requireUnique(
    users.map((user) => user.name),
    (index) => `users[${index}].name`,
  );
  requireUnique(
    users.map((user) => user.id),
    (index) => `users[${index}].id`,
  );
  if (users.every((user) => user.is_bot || user.deleted))
    throw new SeedError("users", "there is no user who can consent");
  const lookup: Lookup = {
    now,
    longAgo: new Date(now - 90 * 86_400_000).toISOString(),
    everybody: users.filter(({ deleted }) => !deleted).map((user) => user.id),
    person: createPersonLookup(users),
  };
  const channels = (seed.channels ?? []).map((one, index) => buildChannel(one, lookup, `channels[${index}]`));
  requireUnique(
    channels.map((channel) => channel.name),
    (index) => `channels[${index}].name`,
  );
  const ims = (seed.ims ?? []).map((one, index) => buildIm(one, lookup, `ims[${index}]`));
  return {
    team: { id: id ?? createSlackId("T", `team ${name}`), name, domain: domain ?? toSlug(name) },
    users,
    channels,
    ims,
  };
}

/** Derives an ID like Slack's, always the same for the same name. */
export function createSlackId(kind: "C" | "D" | "T" | "U", name: string): string {
  const digest = createHash("sha256").update(`${kind} ${name}`).digest();
  return `${kind}0${[...digest.subarray(0, 9)].map((byte) => DIGITS[byte % DIGITS.length]).join("")}`;
}

const DIGITS = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/** Returns the `ts` of a time in milliseconds; `ticks` distinguishes messages of the same time. */
export function toTs(milliseconds: number, ticks: number): string {
  return `${Math.floor(milliseconds / 1000)}.${String((milliseconds % 1000) * 1000 + ticks).padStart(6, "0")}`;
}

function buildChannel(seed: ChannelSeed, lookup: Lookup, path: string): Channel {
  return {
    id: seed.id ?? createSlackId("C", `channel ${seed.name}`),
    name: seed.name,
    is_private: seed.is_private ?? false,
    is_archived: seed.is_archived ?? false,
    topic: seed.topic ?? "",
    purpose: seed.purpose ?? "",
    members: seed.members?.map((one, index) => lookup.person(one, `${path}.members[${index}]`)) ?? lookup.everybody,
    created: create(seed.created, lookup, path),
    messages: buildMessages(seed.messages, lookup, path),
  };
}

function buildIm(seed: ImSeed, lookup: Lookup, path: string): Im {
  const users = [...new Set(seed.users.map((one, index) => lookup.person(one, `${path}.users[${index}]`)))];
  return {
    id: seed.id ?? createSlackId("D", users.toSorted().join(" ")),
    users,
    created: create(seed.created, lookup, path),
    messages: buildMessages(seed.messages, lookup, path),
  };
}

function create(value: string | undefined, { now, longAgo }: Lookup, path: string): string {
  return value === undefined ? longAgo : parseMoment(value, now, `${path}.created`);
}

/** Sorts messages, oldest first; those without a time are a minute apart, up to now. */
function buildMessages(seeds: MessageSeed[] | undefined, lookup: Lookup, path: string): Message[] {
  const list = (seeds ?? []).map((seed, index): Message => {
    const at = `${path}.messages[${index}]`;
    const root = buildReply(seed, lookup.now - ((seeds?.length ?? 0) - index) * 60_000, index, lookup, at);
    const replies = (seed.replies ?? []).map((one, number) =>
      buildReply(one, Number(root.ts) * 1000 + (number + 1) * 30_000, index, lookup, `${at}.replies[${number}]`),
    );
    return { ...root, replies };
  });
  list.sort((a, b) => a.ts.localeCompare(b.ts));
  requireUnique(
    list.flatMap((message) => [message.ts, ...message.replies.map(({ ts }) => ts)]),
    () => `${path}.messages`,
  );
  return list;
}

function buildReply(
  seed: Omit<MessageSeed, "replies">,
  fallback: number,
  index: number,
  lookup: Lookup,
  path: string,
): Reply {
  const { ts = new Date(fallback).toISOString() } = seed;
  return {
    user: lookup.person(seed.user, `${path}.user`),
    text: seed.text,
    ts: /^\d{10}\.\d{6}$/.test(ts) ? ts : toTs(Date.parse(parseMoment(ts, lookup.now, `${path}.ts`)), 100 + index),
    reactions: (seed.reactions ?? []).map(({ name, users }, number) => ({
      name,
      users: users.map((one, at) => lookup.person(one, `${path}.reactions[${number}].users[${at}]`)),
    })),
    ...(seed.files ? { files: seed.files } : {}),
  };
}

function createPersonLookup(users: User[]): Lookup["person"] {
  return (wanted, path) => {
    const found = users.find(({ id, name, real_name, email }) =>
      [id, name, `@${name}`, real_name, email].includes(wanted),
    );
    if (!found) throw new SeedError(path, `there is no user "${wanted}"`);
    return found.id;
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
