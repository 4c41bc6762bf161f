import { applyChange, type Draft, sanitizeText } from "./draft.ts";

/** A possible completion and a note about it. Both are raw; the view cleans them. */
export type Candidate = { text: string; note: string };

/** The kind of a command's argument. */
type ArgumentKind = "services" | "connected" | "sessions" | "tools";

/** A slash command. `sends`: its line is sent as a prompt, as for an alias. */
type CommandSource = {
  name: string;
  note: string;
  argument?: ArgumentKind;
  needsArgument?: boolean;
  sends?: boolean;
};

/** Sources of completions. Candidates keep their order. */
export type CompletionSources = {
  /** Names without the slash; `argument` is the kind of their arguments. */
  commands: CommandSource[];
  /** Prompts of MCP servers, as commands: `linear:standup`. */
  prompts: CommandSource[];
  /** All services. */
  services: Candidate[];
  /** Connected services. */
  connected: Candidate[];
  sessions: Candidate[];
  tools: Candidate[];
  /** Files, and things of the services, that can be mentioned: `@notes.md`, `@KAY-1`, `@#general`. */
  mentions: Candidate[];
  /** Resources of MCP servers, as mentions: `@linear:issue://KAY-1`. */
  resources: Candidate[];
  /** Issues, channels and people of the connected services that can be mentioned. */
  places: Candidate[];
  /** Words of this conversation that are hard to type, such as `KAY-3`, newest first. */
  words: Candidate[];
};

/** Candidates for `draft.text` from `from` to `to`, which is the cursor. Never empty. */
export type Completion = { from: number; to: number; candidates: Candidate[] };

/**
 * Finds completions for the word before the cursor: a slash command at the start, an argument of one, or the name of a
 * service or another word. Returns null if nothing matches, inside a word, and before an empty word outside commands.
 */
export function findCompletion(draft: Draft, sources: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  if (/^[\p{L}\p{N}_-]/u.test(text.slice(cursor))) return null;
  const head = text.slice(0, cursor);
  const from = /(?<![^\s\p{Surrogate}"'(,;:])[^\s\p{Surrogate}"'(,;:]*$/u.exec(head)?.index ?? cursor;
  const word = head.slice(from);
  const command = /^\/(\S+)\s/.exec(head);
  if (from === 0 && word.startsWith("/")) return toCompletion(draft, 0, listCommands(sources));
  if (command) {
    const kind = sources.commands.find(({ name }) => name === command[1])?.argument;
    return kind ? toCompletion(draft, from, sources[kind].filter(excludeGiven(head.slice(0, from)))) : null;
  }
  return word === "" ? null : toCompletion(draft, from, [...sources.services, ...sources.words]);
}

/**
 * Finds candidates while the user types: commands after a slash, by name and then by description, and mentions after an
 * `@`.
 */
export function findLiveCompletion(draft: Draft, sources: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  if (/^\/[^\s/]*$/.test(text) && cursor === text.length) {
    const query = text.slice(1).toLowerCase();
    const all = listCommands(sources);
    const matches = all.filter(({ text: name }) => name.toLowerCase().startsWith(`/${query}`));
    const noted = all.filter((candidate) => !matches.includes(candidate) && hasWord(candidate, query));
    const candidates = [...matches, ...noted];
    return candidates.length > 0 ? { from: 0, to: cursor, candidates } : null;
  }
  return findMention(draft, sources);
}

/** Whether a word of the name or note starts with the query. */
function hasWord({ text, note }: Candidate, query: string): boolean {
  return `${text} ${note}`
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.startsWith(query));
}

/** Finds candidates for the word after an `@`. */
function findMention(draft: Draft, { mentions, places, resources }: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  const [, query] = /(?:^|[\s(])@(\S*)$/u.exec(text.slice(0, cursor)) ?? [];
  if (query === undefined || /^\S/.test(text.slice(cursor))) return null;
  const lowerQuery = query.toLowerCase();
  // A place of a service has a note, a word of the conversation has none.
  const noted = new Map(places.map((candidate) => [candidate.text, candidate]));
  const files = mentions.filter((candidate) => candidate.note === "file");
  const words = mentions
    .filter((candidate) => candidate.note !== "file")
    .map((candidate) => noted.get(candidate.text) ?? candidate);
  const all = [...words, ...(lowerQuery === "" ? files.slice(0, FIRST_FILES) : files), ...places, ...resources];
  const fitting = all.filter((candidate) => isMentioned(candidate, lowerQuery));
  const starting = fitting.filter((candidate) =>
    candidate.text.slice(1).replace(/^["#]/, "").toLowerCase().startsWith(lowerQuery.replace(/^["#]/, "")),
  );
  // Candidates by the title of an issue or the name of a person.
  const titled = lowerQuery.length > 1 ? places.filter((candidate) => hasWord(candidate, lowerQuery)) : [];
  const candidates = [...new Set([...starting, ...fitting, ...titled])].slice(0, MAX_MENTIONS);
  return candidates.length > 0 ? { from: cursor - query.length - 1, to: cursor, candidates } : null;
}

/** Number of files that are shown before the user types, so that places follow. */
const FIRST_FILES = 20;

const MAX_MENTIONS = 50;

/** Whether a mention matches the query. After `linear:`, part of a resource's address or title is enough. */
function isMentioned({ text, note }: Candidate, query: string): boolean {
  const name = text.slice(1).toLowerCase();
  if (name.includes(query)) return true;
  const service = query.slice(0, query.indexOf(":") + 1);
  if (service === "" || !name.startsWith(service)) return false;
  return `${name} ${note.toLowerCase()}`.includes(query.slice(service.length));
}

/**
 * Extends the word as far as all candidates agree, or accepts the only candidate. Returns null if that adds nothing and
 * the candidates should be shown.
 */
export function extendDraft(draft: Draft, completion: Completion): Draft | null {
  const [only, ...rest] = completion.candidates;
  if (only && rest.length === 0) return acceptCandidate(draft, completion, only);
  const shared = completion.candidates.map(({ text }) => text).reduce(findSharedStart);
  return shared.length > completion.to - completion.from ? replaceWord(draft, completion, shared) : null;
}

/** Replaces the word with a candidate and adds a space. */
export function acceptCandidate(draft: Draft, completion: Completion, { text }: Candidate): Draft {
  return replaceWord(draft, completion, draft.text[completion.to] === " " ? text : `${text} `);
}

function listCommands({ commands, prompts }: CompletionSources): Candidate[] {
  return [...commands, ...prompts].map(({ name, note }) => ({ text: `/${name}`, note }));
}

/** Returns a filter that leaves out arguments already given. */
function excludeGiven(head: string): (candidate: Candidate) => boolean {
  const words = head.toLowerCase().split(/\s+/);
  return ({ text }) => !words.includes(text.toLowerCase());
}

function toCompletion(draft: Draft, from: number, candidates: Candidate[]): Completion | null {
  const query = draft.text.slice(from, draft.cursor).toLowerCase();
  const fitting = candidates.filter(({ text }) => text.toLowerCase().startsWith(query));
  const single = fitting.filter(({ text }, n) => fitting.findIndex((candidate) => candidate.text === text) === n);
  return single.length > 0 ? { from, to: draft.cursor, candidates: single } : null;
}

function findSharedStart(a: string, b: string): string {
  const letters = Array.from(a);
  const otherLetters = Array.from(b);
  const differs = letters.findIndex((letter, n) => letter.toLowerCase() !== otherLetters[n]?.toLowerCase());
  return differs < 0 ? a : letters.slice(0, differs).join("");
}

function replaceWord(draft: Draft, { from, to }: Completion, text: string): Draft {
  const word = sanitizeText(text);
  const nextText = draft.text.slice(0, from) + word + draft.text.slice(to);
  return applyChange(draft, { text: nextText, cursor: from + word.length }, "other");
}
