import { applyChange, type Draft, sanitizeText } from "./draft.ts";

/** A possible completion and a note about it. Both are raw; the view cleans them. */
export type Candidate = { text: string; note: string };

/** The kind of a command's argument. */
type ArgumentKind = "services" | "connected" | "sessions" | "tools";

/** A slash command. `sends`: its line is sent as a prompt, such as an alias. */
type CommandSource = {
  name: string;
  note: string;
  argument?: ArgumentKind;
  needsArgument?: boolean;
  sends?: boolean;
};

/** Sources of completions. Candidates keep their order. */
export type CompletionSources = {
  /** Names without the slash; `argument` says what their arguments name. */
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
  const before = text.slice(0, cursor);
  const from = /(?<![^\s\p{Surrogate}"'(,;:])[^\s\p{Surrogate}"'(,;:]*$/u.exec(before)?.index ?? cursor;
  const word = before.slice(from);
  const command = /^\/(\S+)\s/.exec(before);
  if (from === 0 && word.startsWith("/")) return toCompletion(draft, 0, listCommands(sources));
  if (command) {
    const kind = sources.commands.find(({ name }) => name === command[1])?.argument;
    return kind ? toCompletion(draft, from, sources[kind].filter(excludeGiven(before.slice(0, from)))) : null;
  }
  return word === "" ? null : toCompletion(draft, from, [...sources.services, ...sources.words]);
}

/**
 * Finds what to show while the user types: commands after a slash, by their names, then by what they do; and what can be
 * mentioned after an `@`.
 */
export function findLiveCompletion(draft: Draft, sources: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  if (/^\/[^\s/]*$/.test(text) && cursor === text.length) {
    const typed = text.slice(1).toLowerCase();
    const all = listCommands(sources);
    const named = all.filter(({ text: name }) => name.toLowerCase().startsWith(`/${typed}`));
    const noted = all.filter((each) => !named.includes(each) && hasWord(each, typed));
    const candidates = [...named, ...noted];
    return candidates.length > 0 ? { from: 0, to: cursor, candidates } : null;
  }
  return findMention(draft, sources);
}

/** Whether a word of the command's name or note starts so. */
function hasWord({ text, note }: Candidate, typed: string): boolean {
  return `${text} ${note}`
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word.startsWith(typed));
}

/** Finds what the word after an `@` may mention. */
function findMention(draft: Draft, { mentions, places, resources }: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  const [, typed] = /(?:^|[\s(])@(\S*)$/u.exec(text.slice(0, cursor)) ?? [];
  if (typed === undefined || /^\S/.test(text.slice(cursor))) return null;
  const wanted = typed.toLowerCase();
  // A place of a service has a note, a word of the conversation has none.
  const noted = new Map(places.map((each) => [each.text, each]));
  const files = mentions.filter((each) => each.note === "file");
  const words = mentions.filter((each) => each.note !== "file").map((each) => noted.get(each.text) ?? each);
  const all = [...words, ...(wanted === "" ? files.slice(0, FIRST_FILES) : files), ...places, ...resources];
  const fitting = all.filter((each) => isMentioned(each, wanted));
  const starting = fitting.filter((each) =>
    each.text.slice(1).replace(/^["#]/, "").toLowerCase().startsWith(wanted.replace(/^["#]/, "")),
  );
  // The title of an issue, or the name of a person.
  const titled = wanted.length > 1 ? places.filter((each) => hasWord(each, wanted)) : [];
  const candidates = [...new Set([...starting, ...fitting, ...titled])].slice(0, MAX_MENTIONS);
  return candidates.length > 0 ? { from: cursor - typed.length - 1, to: cursor, candidates } : null;
}

/** Files that are shown before anything was typed, so that places follow. */
const FIRST_FILES = 20;

const MAX_MENTIONS = 50;

/** Whether a mention fits what is typed. After `linear:`, a part of a resource's address or title is enough. */
function isMentioned({ text, note }: Candidate, wanted: string): boolean {
  const name = text.slice(1).toLowerCase();
  if (name.includes(wanted)) return true;
  const service = wanted.slice(0, wanted.indexOf(":") + 1);
  if (service === "" || !name.startsWith(service)) return false;
  return `${name} ${note.toLowerCase()}`.includes(wanted.slice(service.length));
}

/**
 * Extends the word as far as all candidates agree, or accepts the only candidate. Returns null if that adds nothing and
 * the candidates should be shown.
 */
export function extendDraft(draft: Draft, completion: Completion): Draft | null {
  const [only, ...others] = completion.candidates;
  if (only && others.length === 0) return acceptCandidate(draft, completion, only);
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
function excludeGiven(before: string): (candidate: Candidate) => boolean {
  const words = before.toLowerCase().split(/\s+/);
  return ({ text }) => !words.includes(text.toLowerCase());
}

function toCompletion(draft: Draft, from: number, candidates: Candidate[]): Completion | null {
  const typed = draft.text.slice(from, draft.cursor).toLowerCase();
  const fitting = candidates.filter(({ text }) => text.toLowerCase().startsWith(typed));
  const single = fitting.filter(({ text }, n) => fitting.findIndex((each) => each.text === text) === n);
  return single.length > 0 ? { from, to: draft.cursor, candidates: single } : null;
}

function findSharedStart(one: string, other: string): string {
  const letters = Array.from(one);
  const others = Array.from(other);
  const differs = letters.findIndex((letter, n) => letter.toLowerCase() !== others[n]?.toLowerCase());
  return differs < 0 ? one : letters.slice(0, differs).join("");
}

function replaceWord(draft: Draft, { from, to }: Completion, text: string): Draft {
  const word = sanitizeText(text);
  const whole = draft.text.slice(0, from) + word + draft.text.slice(to);
  return applyChange(draft, { text: whole, cursor: from + word.length }, "other");
}
