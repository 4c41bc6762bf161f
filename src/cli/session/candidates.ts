import type { Candidate } from "#ui/editor/complete";
import type { SessionEvent } from "#ui/session/events";
import { toLine } from "#ui/text/words";
import { formatAccount } from "../backend/account-labels.ts";
import type { BackendHandle } from "../backend/handle.ts";
import { type Alias, listAliases, takesArguments } from "../context/aliases.ts";
import type { Kay } from "../kay.ts";
import type { SessionLookup } from "./slash/command.ts";
import { SLASH_NAMES } from "./slash/read.ts";
import { SLASH_COMMANDS } from "./slash/table.ts";

/** Kinds of a slash command's argument. */
const ARGUMENTS: Record<string, "services" | "connected" | "sessions" | "tools"> = {
  connect: "services",
  disconnect: "connected",
  sessions: "sessions",
  tools: "services",
  policy: "tools",
};

/** Maximum number of suggestions. */
const MOST_WORDS = 50;

/** Lists the slash commands and the aliases for completion. */
export function listSlashCandidates(aliases: Alias[] = []): SessionEvent {
  const commands = SLASH_COMMANDS.map(({ name, does, args }) => ({
    name,
    note: does,
    argument: ARGUMENTS[name],
    needsArgument: /^[A-Z]/.test(args),
  }));
  const prompts = aliases
    .filter(({ name }) => !SLASH_NAMES.includes(name))
    .map(({ name, description, text }) => ({
      name,
      note: description,
      needsArgument: takesArguments(text),
      sends: true,
    }));
  return { type: "sources", sources: { commands: [...commands, ...prompts] } };
}

/**
 * Loads the model's name, the connections and the completions, and reports each as it arrives. The session continues
 * without what cannot be loaded.
 */
export async function loadCandidates(
  kay: Kay,
  link: BackendHandle,
  dispatch: (event: SessionEvent) => void,
  lookups: SessionLookup[] = ["model", "connections", "sessions", "tools", "aliases"],
): Promise<void> {
  await Promise.allSettled(lookups.map((lookup) => LOOKS[lookup](kay, link, dispatch)));
}

const LOOKS: Record<
  SessionLookup,
  (kay: Kay, link: BackendHandle, dispatch: (event: SessionEvent) => void) => Promise<void>
> = {
  model: async ({ signal, choices: { model } }, { api }, dispatch) => {
    if (model !== undefined) return dispatch({ type: "status", status: { model: toLine(model) } });
    const current = await api.model({ signal });
    if (current) dispatch({ type: "status", status: { model: toLine(current.label) } });
  },
  connections: async ({ signal }, { api }, dispatch) => {
    const { connections } = await api.connections({ signal });
    const services = Object.entries(connections).map(([name, connection]) => ({
      text: name,
      note: connection.connected ? formatAccount(connection) : "not connected",
      isConnected: connection.connected,
    }));
    const connected = services.filter(({ isConnected }) => isConnected);
    dispatch({ type: "sources", sources: { services, connected } });
    dispatch({ type: "status", status: { services: connected.map(({ text }) => text) } });
  },
  sessions: async (_, { api }, dispatch) => {
    const { data } = await api.sessions({ limit: 20 });
    const candidates: Candidate[] = data.map(({ id, title }) => ({ text: id, note: title ?? "" }));
    dispatch({ type: "sources", sources: { sessions: candidates } });
  },
  tools: async ({ signal }, { api }, dispatch) => {
    const catalog = await api.tools({ signal });
    const candidates = (catalog?.tools ?? []).map(({ name, title }) => ({ text: name, note: String(title ?? "") }));
    dispatch({ type: "sources", sources: { tools: candidates } });
  },
  prompts: async (kay, link, dispatch) => {
    const { listServerPrompts } = await import("./server-lists.ts");
    const prompts = (await listServerPrompts(kay, link)).slice(0, MOST_LISTED).map((prompt) => ({
      name: `${prompt.service}:${prompt.name}`,
      note: prompt.description,
      needsArgument: prompt.arguments.some(({ required }) => required),
    }));
    dispatch({ type: "sources", sources: { prompts } });
  },
  resources: async (kay, link, dispatch) => {
    const { listServerResources } = await import("./server-lists.ts");
    const { formatMention } = await import("./mentions.ts");
    const resources = (await listServerResources(kay, link)).slice(0, MOST_LISTED).map(({ service, uri, title }) => ({
      text: formatMention(`${service}:${uri}`),
      note: title,
    }));
    dispatch({ type: "sources", sources: { resources } });
  },
  aliases: async (kay, _, dispatch) => dispatch(listSlashCandidates(await listAliases(kay))),
};

/** Maximum number of prompts and resources of MCP servers that are offered. */
const MOST_LISTED = 1_000;

/** Returns the entries of MCP servers that may complete this draft: prompts after a slash, resources after an `@`. */
export function findServerLookup(draft: string): SessionLookup | undefined {
  if (/^\/\S*$/.test(draft)) return "prompts";
  return /(?:^|[\s(])@\S*$/.test(draft) ? "resources" : undefined;
}

/**
 * Returns identifiers such as issue keys from the printed text, newest first, then other known ones. They are awkward
 * to type.
 */
export function collectWords(text: string, candidates: Candidate[]): Candidate[] {
  const keys = text.match(/\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b/g) ?? [];
  if (keys.length === 0) return candidates;
  const all = new Set([...keys.reverse(), ...candidates.map((word) => word.text)]);
  return [...all].slice(0, MOST_WORDS).map((word) => ({ text: word, note: "" }));
}

/** Returns issues, channels and people from the printed text as mentions, newest first, then other known ones. */
export function collectMentions(text: string, candidates: Candidate[]): Candidate[] {
  const references =
    text.match(/\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\p{L}\p{N}&/#@])[#@][\p{L}\p{N}][\p{L}\p{N}._-]{1,60}/gu) ?? [];
  const mentions = references
    .map((word) => (word.startsWith("@") ? word : `@${word}`))
    .map((word) => word.replace(/(?<![._-])[._-]+$/, ""));
  const fresh = [...new Set(mentions.reverse())].slice(0, MOST_WORDS);
  if (fresh.length === 0 || fresh.every((word) => candidates.some((candidate) => candidate.text === word)))
    return candidates;
  const otherCandidates = candidates.filter((candidate) => !fresh.includes(candidate.text));
  const [files, rest] = [
    otherCandidates.filter((candidate) => candidate.note === "file"),
    otherCandidates.filter((candidate) => candidate.note !== "file"),
  ];
  return [...[...fresh.map((text) => ({ text: text, note: "" })), ...rest].slice(0, MOST_WORDS), ...files];
}
