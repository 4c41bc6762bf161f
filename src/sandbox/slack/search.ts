import type { Hono } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { canSee, type MethodCall, registerMethod, slackError } from "./method.ts";
import { type Conversation, isIm, type Reply, type SlackState, type User } from "./state.ts";
import { buildPermalink, getPartner } from "./views.ts";

type Hit = { conversation: Conversation; message: Reply; thread?: string };
type Test = (hit: Hit) => boolean;

/** Search over all messages that the user can see (docs.slack.dev/reference/methods/search.messages). */
export function registerSearchMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  registerMethod(app, provider, "search.messages", "search:read", (call) => {
    const { args } = call;
    if (!args.query?.trim()) throw slackError("no_query");
    const tests = readQuery(args.query, call);
    const hits = listHits(call).filter((hit) => tests.every((test) => test(hit)));
    const direction = args.sort_dir === "asc" ? 1 : -1;
    hits.sort((a, b) => direction * a.message.ts.localeCompare(b.message.ts));
    const [count, page] = [clampNumber(args.count, 20), clampNumber(args.page, 1)];
    const start = (page - 1) * count;
    const shownHits = hits.slice(start, start + count);
    const pages = Math.ceil(hits.length / count);
    return {
      query: args.query,
      messages: {
        total: hits.length,
        pagination: {
          total_count: hits.length,
          page,
          per_page: count,
          page_count: pages,
          first: Math.min(start + 1, hits.length),
          last: start + shownHits.length,
        },
        paging: { count, total: hits.length, page, pages },
        matches: shownHits.map((hit) => toMatchView(call, hit)),
      },
    };
  });
}

function listHits({ world, me }: MethodCall): Hit[] {
  return [...world.channels, ...world.ims]
    .filter((conversation) => canSee(conversation, me))
    .flatMap((conversation) =>
      conversation.messages.flatMap((root) => [
        { conversation, message: root },
        ...root.replies.map((message) => ({ conversation, message, thread: root.ts })),
      ]),
    );
}

/**
 * Parses words, phrases in quotes, and the modifiers `in:`, `from:`, `before:`, `after:`, `on:`, with `-` for not.
 */
function readQuery(query: string, call: MethodCall): Test[] {
  return [...query.matchAll(/(-?)(?:(in|from|before|after|on|has):)?("[^"]*"|\S+)/gi)].map(
    ([, minus, modifier, value = ""]) => {
      const words = value.replaceAll('"', "").toLowerCase();
      const test = modifier ? createModifierTest(modifier.toLowerCase(), words, call) : createWordTest(words);
      return minus ? (hit) => !test(hit) : test;
    },
  );
}

function createWordTest(name: string): Test {
  return ({ message }) => message.text.toLowerCase().includes(name);
}

function createModifierTest(modifier: string, name: string, { world, me }: MethodCall): Test {
  const id = name.replace(/^<[@#]([^|>]+)(\|[^>]*)?>$/, "$1").replace(/^[@#]/, "");
  const isUser = (user: User | undefined) =>
    user !== undefined && [user.id, user.name, user.real_name, user.email].some((name) => name.toLowerCase() === id);
  const findUser = (userId: string) => world.users.find((user) => user.id === userId);
  switch (modifier) {
    case "in":
      return ({ conversation }) =>
        isIm(conversation)
          ? isUser(findUser(getPartner(conversation, me)))
          : [conversation.id.toLowerCase(), conversation.name].includes(id);
    case "from":
      return ({ message }) => (id === "me" ? message.user === me.id : isUser(findUser(message.user)));
    case "has":
      return ({ message }) => (id === "link" ? message.text.includes("<http") : message.reactions.length > 0);
    default:
      return ({ message }) => {
        const day = new Date(Number(message.ts) * 1000).toISOString().slice(0, 10);
        return modifier === "on" ? day === name : modifier === "before" ? day < name : day > name;
      };
  }
}

function toMatchView({ world, me, request }: MethodCall, { conversation, message, thread }: Hit) {
  const user = world.users.find(({ id }) => id === message.user);
  const im = isIm(conversation);
  return {
    iid: `${conversation.id}-${message.ts}`,
    team: world.team.id,
    score: 0,
    channel: {
      id: conversation.id,
      name: im ? getPartner(conversation, me) : conversation.name,
      is_channel: !im && !conversation.is_private,
      is_group: !im && conversation.is_private,
      is_im: im,
      is_mpim: false,
      is_private: im || conversation.is_private,
      ...(im ? { user: getPartner(conversation, me) } : {}),
    },
    type: im ? "im" : "message",
    user: message.user,
    username: user?.name ?? "",
    ts: message.ts,
    text: message.text,
    permalink: buildPermalink(request, conversation, message.ts, thread),
  };
}

function clampNumber(text: string | undefined, fallback: number): number {
  const number = Number(text || fallback);
  return Number.isInteger(number) && number >= 1 ? Math.min(number, 100) : fallback;
}
