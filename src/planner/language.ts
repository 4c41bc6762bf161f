import type { ItsFunction } from "wink-nlp";

/**
 * Words of a request, by wink-nlp and its English model. They are loaded on first use (about 0.3 s), so that users with
 * a model never wait for them.
 */
export type Language = { read(text: string): Word[] };

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

let loading: Promise<Language> | undefined;

/** The language, loaded once. */
export function loadLanguage(): Promise<Language> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Language> {
  const [{ default: wink }, { default: english }] = await Promise.all([
    import("wink-nlp"),
    import("wink-eng-lite-web-model"),
  ]);
  const nlp = wink(english, ["pos"]);
  const { its } = nlp;
  const tokens = (text: string, offset: number): Word[] => {
    const collection = nlp.readDoc(text).tokens();
    const texts = collection.out() as string[];
    const lemmas = collection.out(its.lemma as ItsFunction<string>) as string[];
    const stems = collection.out(its.stem as ItsFunction<string>) as string[];
    const stops = collection.out(its.stopWordFlag) as unknown as boolean[];
    const kinds = collection.out(its.type) as string[];
    let cursor = 0;
    return texts.map((token, index) => {
      const at = text.indexOf(token, cursor);
      const start = at < 0 ? cursor : at;
      cursor = start + token.length;
      const lower = token.toLowerCase();
      return {
        text: token,
        lower,
        lemma: (lemmas[index] ?? lower).toLowerCase(),
        stem: stems[index] ?? lower,
        stop: (stops[index] ?? false) || FILLERS.has(lower),
        kind: kinds[index] === "punctuation" ? "mark" : "word",
        start: offset + start,
        end: offset + cursor,
      };
    });
  };
  return {
    read: (text) =>
      pieces(text).flatMap((piece) => (piece.literal ? [literal(piece)] : join(tokens(piece.text, piece.start)))),
  };
}

type Piece = { text: string; start: number; end: number; literal: boolean };

/** Quoted text, and text after the first colon, is the user's text and not part of the request's grammar. */
function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let last = 0;
  for (const match of text.matchAll(LITERALS)) {
    const inner = match.slice(1).find((group) => group !== undefined);
    const start = match.index;
    if (inner === undefined || inner.trim() === "") continue;
    const lead = match[0].startsWith(":") ? 1 : 0;
    if (start + lead > last)
      found.push({ text: text.slice(last, start + lead), start: last, end: start + lead, literal: false });
    last = start + match[0].length;
    found.push({ text: unquot(inner.trim()), start: start + lead, end: last, literal: true });
  }
  if (last < text.length) found.push({ text: text.slice(last), start: last, end: text.length, literal: false });
  return found;
}

/** wink cuts `KAY-3` and `kay-cli` whole, but takes `#general`, `feature/x` or `urn:li:share:1` apart; what is written without a space stays one word. */
function join(words: Word[]): Word[] {
  const result: Word[] = [];
  for (const [index, word] of words.entries()) {
    const before = result.at(-1);
    if (before && before.end === word.start && glue(before, word, words[index + 1])) {
      const text = before.text + word.text;
      const lower = text.toLowerCase();
      result[result.length - 1] = {
        ...before,
        text,
        lower,
        lemma: lower,
        stem: lower,
        stop: false,
        kind: "word",
        end: word.end,
      };
    } else result.push(word);
  }
  return result.map(withoutMark);
}

/** An address or URN does not end in the punctuation of the sentence. */
function withoutMark(word: Word): Word {
  const text = /^(?:https?|urn):\S*?(?=[:;,.!?]+$)/i.exec(word.text)?.[0];
  if (!text) return word;
  const lower = text.toLowerCase();
  return { ...word, text, lower, lemma: lower, stem: lower, end: word.start + text.length };
}

function glue(before: Word, word: Word, next: Word | undefined): boolean {
  if (/^urn(:|$)/i.test(before.text)) return /^:?[\p{L}\p{N}]|^:$/u.test(word.text) && !/^urn$/i.test(word.text);
  // "A1:C3" is one range of cells, "A1: 5" is not.
  if (word.text === ":") return CELL.test(before.text) && next?.start === word.end && CELL.test(next.text);
  if (before.text.endsWith(":") && CELL.test(before.text.slice(0, -1))) return CELL.test(word.text);
  // The end of a file's name belongs to its path: `docs/a.txt`.
  if (before.text.includes("/") && word.text === ".")
    return next?.start === word.end && /^[\p{L}\p{N}_]/u.test(next.text);
  if (/\/.*\.$/.test(before.text)) return /^[\p{L}\p{N}_]/u.test(word.text);
  if (/^[#@~/]$/.test(before.text) || /[/_@-]$/.test(before.text)) return /^[\p{L}\p{N}_]/u.test(word.text);
  return /^[/_@-]/.test(word.text) && /[\p{L}\p{N}]$/u.test(before.text) && word.text.length < 60;
}

function literal({ text, start, end }: Piece): Word {
  return { text, lower: text.toLowerCase(), lemma: "", stem: "", stop: false, kind: "literal", start, end };
}

function unquot(text: string): string {
  return /^(["“'`])(.*)(["”'`])$/s.exec(text)?.[2] ?? text;
}

const CELL = /^[A-Za-z]{1,3}\d{1,5}$/;

/** Words of politeness, which wink does not count as common. */
const FILLERS = new Set(["please", "kindly", "hey", "ok", "okay", "just", "want", "like", "need", "let", "us", "now"]);

const LITERALS = /"([^"\n]+)"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)|`([^`\n]+)`|:\s+(\S[\s\S]*)$/g;
