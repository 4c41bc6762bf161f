import { distance } from "fastest-levenshtein";

/** One text of a conversation that others can have written, and where it came from: `KAY-15`. */
type ForeignText = { source: string; service: string; text: string };

/**
 * The texts of a conversation: what the user said, and what others can have written. A value in `whole` is the user's
 * only as it is, not in parts, since others may have written parts of it: an edited field, the name of a file. `said`:
 * what the user said or chose, in order, after the user's standing instructions.
 */
export type ConversationTexts = { own: string[]; whole?: string[]; userTexts?: string[]; foreign: ForeignText[] };

/**
 * The author of each value of a call, as far as the conversation shows. A value is the user's only if the user said all
 * of it. Everything else may come from the texts that the model has read, even if the model changed it.
 */
export type Provenance = {
  /** Texts that the user wrote or chose, in lower case, newest last. */
  userTexts: readonly string[];
  /** Whether the model has read text that others can have written. */
  tainted: boolean;
  /** Services whose texts the model has read. */
  services: ReadonlySet<string>;
  /** Whether the user said the whole value: in a prompt, in a form, or in an edit of a call. */
  isOwn(value: unknown): boolean;
  /** Whether the user said a name with all its signs: a file “Plan.” is another one than “Plan”. */
  isOwnName(name: string): boolean;
  /** The source of the first foreign text that holds the value, or one of its longer words. */
  findSource(value: unknown): string | undefined;
  /** Whether a text of that service holds the whole value. */
  isFrom(service: string, value: unknown): boolean;
  /** Returns a text of the user that is nearly the value: another letter in an address or a channel. */
  findLookAlike(value: unknown): string | undefined;
};

/** Builds the provenance of a conversation. Texts are prepared once; each question costs their length. */
export function createProvenance({ own, whole = [], userTexts = own, foreign }: ConversationTexts): Provenance {
  const ownTexts: UserTexts = { texts: own.map(normalizeText), whole: whole.map(toName) };
  const foreignTexts = foreign.map((foreignText) => ({ ...foreignText, text: normalizeText(foreignText.text) }));
  const isOwn = (value: unknown) => everyLeaf(value, (leaf) => isSaid(ownTexts, leaf));
  return {
    userTexts: userTexts.map(normalizeText),
    tainted: foreign.length > 0,
    services: new Set(foreign.map(({ service }) => service)),
    isOwn,
    isOwnName: (fileName) => {
      const text = normalizeText(fileName);
      const name = { ...toName(fileName), text };
      return (
        ownTexts.texts.some((ownText) => holdsName(ownText, name)) ||
        whole.some((ownText) => normalizeText(ownText) === text)
      );
    },
    findSource: (value) => {
      const leaves = [...new Set(listLeaves(value))].slice(0, MAX_TRACED).filter((leaf) => !isSaid(ownTexts, leaf));
      const names = leaves.map(toName);
      const whole = foreignTexts.find(({ text }) => names.some((name) => holdsName(text, name)));
      const words = [...new Set(leaves.flatMap(listLongWords))]
        .slice(0, MAX_TRACED)
        .filter((word) => !ownTexts.texts.some((text) => text.includes(word)));
      return (whole ?? foreignTexts.find(({ text }) => words.some((word) => text.includes(word))))?.source;
    },
    isFrom: (service, value) =>
      everyLeaf(value, (leaf) => {
        const name = toName(leaf);
        return foreignTexts.some((foreignText) => foreignText.service === service && holdsName(foreignText.text, name));
      }),
    findLookAlike: (value) =>
      findLookAlike([...ownTexts.texts, ...ownTexts.whole.map(({ text }) => text)], listLeaves(value)),
  };
}

/**
 * A value without what is around it. `mark`: it is a channel or a person (`#`, `@`), which can have the same name. A
 * channel has no capital letters, so `Mia` is a person too.
 */
type Name = { text: string; mark: string; hasCapitals: boolean };

type UserTexts = { texts: string[]; whole: Name[] };

/** Whether the user said this text. No one says an empty one, which can clear a field; symbols alone can be words. */
function isSaid({ texts, whole }: UserTexts, leaf: string): boolean {
  const name = toName(leaf);
  const isWhole = whole.some(({ text, mark }) => text === name.text && isSameMark(mark, name));
  return name.text !== "" && (isWhole || texts.some((text) => holdsName(text, name)));
}

/** Most texts of a value that are compared, and most that are traced to a source, which a card only mentions. */
const MAX_LEAVES = 1_000;
const MAX_TRACED = 100;

/** Whether a test holds for every text in a value. A value with more of them than anyone says fails. */
function everyLeaf(value: unknown, test: (leaf: string) => boolean): boolean {
  const leaves = [...new Set(listLeaves(value))];
  return leaves.length <= MAX_LEAVES && leaves.every(test);
}

/**
 * Lists every text in a value: the names of inner fields too, since they say what is changed. `false` says nothing; an
 * empty value is an empty text.
 */
function listLeaves(value: unknown): string[] {
  if (value === undefined || value === false) return [];
  if (typeof value !== "object") return [String(value)];
  const inner = Array.isArray(value) ? value : Object.entries(value ?? {}).flat();
  return inner.length === 0 ? [""] : inner.flatMap(listLeaves);
}

/** Normalizes a text: case, white space and typographic apostrophes do not count. */
function normalizeText(text: string): string {
  return text.normalize("NFC").toLowerCase().replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim();
}

/** Parses a value without its quotation marks, the mark of a channel or person, and the end of a sentence. */
function toName(value: string): Name {
  const text = normalizeText(value);
  const [lead = ""] = text.match(/^["'“”«»„\s#@]+/u) ?? [];
  const core = text.slice(lead.length).replace(/(?<!["'“”«»„\s.!?…])["'“”«»„\s.!?…]+$/u, "");
  return { text: core, mark: lead.match(/[#@]/)?.[0] ?? "", hasCapitals: /\p{Lu}/u.test(value) };
}

/** Most places of a text that are compared with a value. */
const MAX_PLACES = 1_000;

/** Whether a text holds a value as a whole: not as a part of a longer word, number, address or path, nor with another mark. */
function holdsName(text: string, name: Name): boolean {
  const { text: value } = name;
  if (value === "") return false;
  const [before, after] = chooseBoundary(value);
  let index = text.indexOf(value);
  for (let places = 0; index >= 0 && places < MAX_PLACES; places++) {
    const lead = text.slice(Math.max(0, index - 4), index);
    const right = text.slice(index + value.length, index + value.length + 4);
    const mark = lead.match(/[#@]$/)?.[0] ?? "";
    if (!before.test(lead) && !after.test(right) && isSameMark(mark, name)) return true;
    index = text.indexOf(value, index + 1);
  }
  return false;
}

function isSameMark(sign: string, { mark, hasCapitals }: Name): boolean {
  return mark === "" ? sign !== "#" || !hasCapitals : sign === "" || sign === mark;
}

/** Patterns of text before and after a value that make it a part of a longer one. */
type Boundary = [before: RegExp, after: RegExp];

function chooseBoundary(value: string): Boundary {
  if (value.includes("@")) return ADDRESS_BOUNDARY;
  return /^\p{N}+$/u.test(value) ? NUMBER_BOUNDARY : WORD_BOUNDARY;
}

const WORD_BOUNDARY: Boundary = [
  /[\p{L}\p{N}\p{M}_]$|[\p{L}\p{N}][.@/:?&=+|\\-]$/u,
  /^[\p{L}\p{N}\p{M}_]|^[.@/:?&=+|\\-][\p{L}\p{N}]/u,
];

/** An address continues with every character that one may have (RFC 5322, atext): `o'brien@example.com`. */
const ADDRESS_BOUNDARY: Boundary = [
  new RegExp(`${WORD_BOUNDARY[0].source}|[\\p{L}\\p{N}][!#$%&'*^\`{}~]$`, "u"),
  WORD_BOUNDARY[1],
];

/** A number continues with a sign and with separators: `-413`, `1,413`, `1'413`. */
const NUMBER_BOUNDARY: Boundary = [
  new RegExp(`${WORD_BOUNDARY[0].source}|\\p{N}[,'’]$|(?:^|[\\s($€£])[-−]$`, "u"),
  new RegExp(`${WORD_BOUNDARY[1].source}|^[,'’]\\p{N}`, "u"),
];

/** Lists words that are too long to match by chance: names, addresses, IDs. */
function listLongWords(text: string): string[] {
  const words = normalizeText(text).match(/[\p{L}\p{N}][\p{L}\p{N}._@:/-]{3,}/gu) ?? [];
  return words.map((word) => word.replace(/(?<![._:/-])[._:/-]+$/, "")).filter((word) => word.length >= 4);
}

/** Finds an address, channel or name of the user's that differs from one in the values by a letter or two. */
function findLookAlike(ownTexts: string[], leaves: string[]): string | undefined {
  const ownPlaces = [...new Set(ownTexts.flatMap(listPlaces))].slice(0, MAX_LEAVES);
  const places = leaves.slice(0, MAX_LEAVES).flatMap((leaf) => listPlaces(normalizeText(leaf)));
  for (const place of [...new Set(places)].slice(0, MAX_TRACED)) {
    if (ownPlaces.includes(place)) continue;
    const near = ownPlaces.find((ownPlace) => isNear(ownPlace, place));
    if (near !== undefined) return near;
  }
  return undefined;
}

/** Longest word that is compared as the name of a place, in characters. */
const MAX_PLACE_LENGTH = 100;

/** Lists words that name a destination: an address, a channel, a person, a host. */
function listPlaces(text: string): string[] {
  const words = text.split(/[\s,;<>()[\]"“”]+/u).map((word) => word.replace(/(?<![.:!?])[.:!?]+$/, ""));
  return words.filter((word) => word.length <= MAX_PLACE_LENGTH && /^[#@].{2}|.@.|[^.]\.\p{L}{2}/u.test(word));
}

/** Whether two names differ so little that one can be taken for the other. */
function isNear(name: string, other: string): boolean {
  if (Math.abs(name.length - other.length) > 2) return false;
  return distance(name, other) <= (Math.min(name.length, other.length) < 8 ? 1 : 2);
}
