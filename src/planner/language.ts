import type { ItsFunction } from "wink-nlp";

/**
 * Words of a request. Their base forms come from wink-nlp and its English model, which are loaded on first use (about
 * 0.3 s), so that users with a model never wait for them.
 */
export type Language = {
  /** `open`: what follows a colon is words too, rather than one literal text. */
  read(text: string, open?: boolean): Word[];
};

/** One word, or a piece of text that is taken as it is: something in quotes, or everything after a colon. */
export type Word = {
  text: string;
  lower: string;
  lemma: string;
  stem: string;
  /** Too common to say what a request is about: "the", "please". */
  stop: boolean;
  kind: "word" | "mark" | "literal";
  /** Where it stands in the request. */
  start: number;
  end: number;
};

/** Words in small letters, as one text. */
export function sliceLower(words: Word[], from: number, to: number): string {
  return words
    .slice(Math.max(0, from), to)
    .map(({ lower }) => lower)
    .join(" ");
}

/** A word of a request, or nothing before its first and after its last. */
export function getWord(words: Word[], at: number): Word {
  return words[at] ?? NOTHING;
}

const NOTHING: Word = { text: "", lower: "", lemma: "", stem: "", stop: false, kind: "mark", start: 0, end: 0 };

let loading: Promise<Language> | undefined;

/** The language, loaded once. */
export function loadLanguage(): Promise<Language> {
  loading ??= load();
  return loading;
}

type Forms = Pick<Word, "lemma" | "stem" | "stop">;

async function load(): Promise<Language> {
  const [{ default: wink }, { default: english }] = await Promise.all([
    import("wink-nlp"),
    import("wink-eng-lite-web-model"),
  ]);
  const nlp = wink(english, ["pos"]);
  const { its } = nlp;
  const known = new Map<string, Forms>();
  const getForms = (lower: string): Forms => {
    const before = known.get(lower);
    if (before) return before;
    if (lower.length > LONGEST_WORD) return { lemma: lower, stem: lower, stop: false };
    const read = nlp.readDoc(lower).tokens();
    // What wink takes apart, such as `kay-cli`, has no other form.
    const whole = /^\p{L}+$/u.test(lower) && read.length() === 1;
    const [lemma = lower] = whole ? (read.out(its.lemma as ItsFunction<string>) as string[]) : [];
    const [stem = lower] = whole ? (read.out(its.stem as ItsFunction<string>) as string[]) : [];
    const [stop = false] = whole ? (read.out(its.stopWordFlag) as unknown as boolean[]) : [];
    const forms = { lemma: lemma.toLowerCase(), stem, stop: stop || FILLERS.has(lower) };
    if (known.size < MOST_KNOWN) known.set(lower, forms);
    return forms;
  };
  const toWord = ({ text, start }: Token): Word => {
    const lower = SHORT_FORMS.get(text.toLowerCase()) ?? text.toLowerCase();
    const kind = /[\p{L}\p{N}=+%€$£]/u.test(text) && !DECORATION.test(text) ? "word" : "mark";
    return { text, lower, ...getForms(lower), kind, start, end: start + text.length };
  };
  return {
    read: (text, open = false) =>
      joinVerbs(
        splitLiterals(text.replace(/[’ʼ‘]/g, "'"), open).flatMap((piece) =>
          piece.literal ? [toLiteral(piece)] : splitTokens(piece).map(toWord),
        ),
      ),
  };
}

type Token = { text: string; start: number };
type Piece = Token & { end: number; literal: boolean };

/** Quoted text, and text after the first colon, is the user's text and not part of the request's grammar. */
function splitLiterals(text: string, open: boolean): Piece[] {
  const pieces: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(open ? QUOTED : LITERALS)) {
    const inner = match.slice(1).find((group) => group !== undefined);
    const start = match.index;
    if (inner === undefined || inner.trim() === "") continue;
    const lead = match[0].startsWith(":") ? 1 : 0;
    if (start + lead > last)
      pieces.push({ text: text.slice(last, start + lead), start: last, end: start + lead, literal: false });
    last = start + match[0].length;
    pieces.push({ text: removeQuotes(inner.trim()), start: start + lead, end: last, literal: true });
  }
  if (last < text.length) pieces.push({ text: text.slice(last), start: last, end: text.length, literal: false });
  return pieces;
}

/** Names such as `#general`, `docs/a.txt`, `A1:C3` or `urn:li:share:1` are one word; "don't" and "Tom's" are two. */
function splitTokens({ text, start }: Piece): Token[] {
  return [...text.matchAll(TOKENS)].flatMap(({ 0: token, index }): Token[] => {
    const [, base, ending] = /^(.*?[\p{L}\p{N}])(n't|'(?:s|d|m|t|re|ve|ll))$/iu.exec(token) ?? [];
    if (base === undefined || ending === undefined) return [{ text: token, start: start + index }];
    return [
      { text: base, start: start + index },
      { text: ending, start: start + index + base.length },
    ];
  });
}

/** "Look up", "sum up": one verb in two words, and "let … know" around a name. */
function joinVerbs(all: Word[]): Word[] {
  const words = all.filter((_, at) => !isEveryone(all, at) && !isEveryone(all, at - 1));
  const joined: Word[] = [];
  const say = (word: Word, verb: string): Word => ({ ...word, lower: verb, lemma: verb, stem: verb, stop: false });
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as Word;
    const [next, third] = [words[at + 1], words[at + 2]];
    const verb = next && VERBS_OF_TWO.get(`${word.lower} ${next.lower}`);
    if (verb && next) {
      joined.push({ ...say(word, verb), text: `${word.text} ${next.text}`, end: next.end });
      at++;
    } else if (word.lower === "kay" && word.text !== "KAY" && next && WORK.test(next.lower)) {
      joined.push({ ...word, text: "KAY" });
    } else if (word.lower === "let" && next && third?.lower === "know") {
      joined.push(say(word, "tell"), next);
      at += 2;
    } else if (word.lower === "left" && sliceLower(words, at + 1, at + 3) === "to do") {
      joined.push(word);
      at += 2;
    } else joined.push(word);
  }
  return joined;
}

/** "Tell everyone in #general": to write there is to write to everyone. */
function isEveryone(words: Word[], at: number): boolean {
  const [before, word, next, third] = [words[at - 1], words[at], words[at + 1], words[at + 2]];
  const isAll = word !== undefined && ["everyone", "everybody", "all"].includes(word.lower) && next?.lower === "in";
  return isAll && third?.text.startsWith("#") === true && ["tell", "let", "to"].includes(before?.lower ?? "");
}

/** "Kay bugs" are those of the project KAY. */
const WORK = /^(?:project|backlog|board|issues?|tickets?|bugs?|tasks?|stor(?:y|ies)|epics?)$/;

const VERBS_OF_TWO = new Map([
  ["look up", "find"],
  ["look for", "find"],
  ["going on", "happened"],
  ["pull up", "show"],
  ["bring up", "mention"],
  ["sum up", "summarise"],
  ["set up", "create"],
  ["never mind", "nevermind"],
  ["most recent", "latest"],
  ["most recently", "recently"],
  ["past due", "overdue"],
]);

function toLiteral({ text, start, end }: Piece): Word {
  return { text, lower: text.toLowerCase(), lemma: "", stem: "", stop: false, kind: "literal", start, end };
}

function removeQuotes(text: string): string {
  return /^(["“'`])(.*)(["”'`])$/s.exec(text)?.[2] ?? text;
}

/** An address, an emoji's code, a name with marks inside, or one other character. */
const TOKENS =
  /[€$£]?\d{1,3}(?:,\d{3})+(?![\p{L}\p{N},])|[€$£]\d+k?(?![\p{L}\p{N}])|(?:https?|urn):\S*[^\s.,:;!?)]|:[a-z0-9_+-]+:(?![\p{L}\p{N}])|(?<![#@~/])[#@~/]*[\p{L}\p{N}_](?:[\p{L}\p{N}\p{M}_]|[-_./@:'+&]+(?=[\p{L}\p{N}_]))*|\p{Extended_Pictographic}(?:\p{Extended_Pictographic}|\u{FE0F}|\u{200D}|[\u{1F3FB}-\u{1F3FF}])*|\S/giu;

/** Emoji outside of quotes say nothing to a tool. */
const DECORATION = /^(?:\p{Extended_Pictographic}|\u{FE0F}|\u{200D}|[\u{1F3FB}-\u{1F3FF}])+$/u;

/** Words of politeness, which wink does not count as common. */
const FILLERS = new Set("please kindly hey ok okay just want like need let us now".split(" "));

/** What people leave an apostrophe out of, or write short. */
const SHORT_FORMS = new Map([
  ...["hasnt", "havent", "isnt", "arent", "wasnt", "werent", "doesnt", "didnt", "n't"].map(
    (form) => [form, "not"] as const,
  ),
  ...["what", "who", "how", "where", "when", "that"].map((word) => [`${word}s`, word] as const),
  ["tomorrows", "tomorrow"],
  ["todays", "today"],
  ["yesterdays", "yesterday"],
  ["tmrw", "tomorrow"],
  ["prio", "priority"],
  ["cal", "calendar"],
  ["desc", "description"],
  ["w/o", "without"],
  ["wrt", "about"],
  ["reqs", "requests"],
  ["pls", "please"],
  ["plz", "please"],
  ["u", "you"],
  ["gimme", "show"],
  ["msg", "message"],
  ["=", "is"],
]);

const QUOTES = String.raw`"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|(?<!\w)'([^\n]+?)'(?!\w)|${"`([^`\\n]+)`"}`;
const QUOTED = new RegExp(QUOTES, "g");
/** A colon leads to text up to the end, unless that text begins in quotes and more follows them. */
const LITERALS = new RegExp(
  `${QUOTES}|(?<!:[a-z0-9_+-]+):\\s+(?!(?:"[^"\\n]+"|“[^”\\n]+”|'[^\\n]+?'(?!\\w))\\s*\\S)(\\S[\\s\\S]*)$`,
  "g",
);

/** Longer ones are addresses and codes, which have no other form. */
const LONGEST_WORD = 60;

/** Words whose forms are kept; a conversation has few, and a stranger's text could have many. */
const MOST_KNOWN = 20_000;
