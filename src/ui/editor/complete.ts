import { applyChange, type Draft, sanitizeText } from "./draft.ts";

/** One thing that a word could become, and what is said of it. Both are raw: what shows them cleans them. */
export type Candidate = { text: string; note: string };

/** What the argument of a command is a name of. */
type ArgumentKind = "services" | "connected" | "sessions" | "tools";

/** What can be completed. The candidates of each kind stand in the order in which they are offered. */
export type CompletionSources = {
  /** Without the slash; `argument` says what its arguments name, if anything. */
  commands: { name: string; note: string; argument?: ArgumentKind }[];
  /** Every service, by name. */
  services: Candidate[];
  /** Those that are connected. */
  connected: Candidate[];
  sessions: Candidate[];
  tools: Candidate[];
  /** Words of this conversation that are awkward to type, newest first: `KAY-3`. */
  words: Candidate[];
};

/** Candidates for the part of `draft.text` between `from` and `to`, which ends at the cursor. Never without any. */
export type Completion = { from: number; to: number; candidates: Candidate[] };

/**
 * What the word before the cursor could become: a slash command at the very beginning, an argument of one, else the name of a service or
 * one of the words. Null where nothing fits, where no word was begun outside of commands, and inside of a word.
 */
export function findCompletion(draft: Draft, sources: CompletionSources): Completion | null {
  const { text, cursor } = draft;
  if (/^[\p{L}\p{N}_-]/u.test(text.slice(cursor))) return null;
  const before = text.slice(0, cursor);
  const from = /[^\s\p{Surrogate}"'(,;:]*$/u.exec(before)?.index ?? cursor;
  const word = before.slice(from);
  const command = /^\/(\S+)\s/.exec(before);
  if (from === 0 && word.startsWith("/")) return found(draft, 0, getCommands(sources));
  if (command) {
    const kind = sources.commands.find(({ name }) => name === command[1])?.argument;
    return kind ? found(draft, from, sources[kind].filter(notYet(before.slice(0, from)))) : null;
  }
  return word === "" ? null : found(draft, from, [...sources.services, ...sources.words]);
}

/**
 * What Tab does: the word extended as far as all candidates agree; with one candidate, that and a space. Null when that adds nothing, so
 * that the candidates are to be shown.
 */
export function extendDraft(draft: Draft, completion: Completion): Draft | null {
  const [only, ...others] = completion.candidates;
  if (only && others.length === 0) return acceptCandidate(draft, completion, only);
  const shared = completion.candidates.map(({ text }) => text).reduce(sharedStart);
  return shared.length > completion.to - completion.from ? inPlace(draft, completion, shared) : null;
}

/** The draft with one of the candidates in place of the word, and a space behind it. */
export function acceptCandidate(draft: Draft, completion: Completion, { text }: Candidate): Draft {
  return inPlace(draft, completion, draft.text[completion.to] === " " ? text : `${text} `);
}

function getCommands({ commands }: CompletionSources): Candidate[] {
  return commands.map(({ name, note }) => ({ text: `/${name}`, note }));
}

/** An argument that is there already is not offered again. */
function notYet(before: string): (candidate: Candidate) => boolean {
  const given = before.toLowerCase().split(/\s+/);
  return ({ text }) => !given.includes(text.toLowerCase());
}

function found(draft: Draft, from: number, candidates: Candidate[]): Completion | null {
  const begun = draft.text.slice(from, draft.cursor).toLowerCase();
  const fitting = candidates.filter(({ text }) => text.toLowerCase().startsWith(begun));
  const single = fitting.filter(({ text }, n) => fitting.findIndex((each) => each.text === text) === n);
  return single.length > 0 ? { from, to: draft.cursor, candidates: single } : null;
}

function sharedStart(one: string, other: string): string {
  const letters = Array.from(one);
  const others = Array.from(other);
  const differs = letters.findIndex((letter, n) => letter.toLowerCase() !== others[n]?.toLowerCase());
  return differs < 0 ? one : letters.slice(0, differs).join("");
}

function inPlace(draft: Draft, { from, to }: Completion, text: string): Draft {
  const word = sanitizeText(text);
  const whole = draft.text.slice(0, from) + word + draft.text.slice(to);
  return applyChange(draft, { text: whole, cursor: from + word.length }, "other");
}
