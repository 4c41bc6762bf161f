import type { Word } from "./language.ts";

/** Stands in a request for a text that follows; users never type it. */
export const MARK = "\u0001";

/** A key such as KAY-3. */
export const KEY = /^[A-Za-z][A-Za-z0-9_]*-\d+$/;

/** Words for "mine": as a value, they mean the user. */
export const POSSESSIVES = new Set(["my", "mine", "i"]);

/** Words that point at something said before. */
export const PRONOUNS = new Set("it this that them these those both".split(" "));

/** Words that point at a person said before. */
export const PERSON_PRONOUNS = new Set(["her", "him", "she", "he", "they"]);

export const OWNERS = new Set(["its", "his", "their", "your"]);

/** Words that name nothing in particular. */
export const VAGUE_WORDS = new Set(
  "one ones thing things stuff current online offline away everything something anything old older wrong right same latest oldest newest other others previous none rest".split(
    " ",
  ),
);

export const ARTICLES = new Set("a an the my our this that".split(" "));

/** Which of several: position from the start, or from the end when negative. */
export const ORDINALS = new Map(
  ["first", "1st", "second", "2nd", "third", "3rd", "fourth", "4th"]
    .map((word, at) => [word, Math.floor(at / 2)] as const)
    .concat([["last", -1]]),
);

export const NEGATIONS = new Set(
  "not never dont without no except excluding unless outside besides minus apart".split(" "),
);

/**
 * Words that turn a request into another one: what was not asked for, a comparison, an order, an amount. A reading that
 * does not account for one of them is wrong, whatever else it understood.
 */
export const OPERATORS = new Set([
  ...NEGATIONS,
  ..."but instead rather only-not other another than or either neither nor".split(" "),
  ..."more less fewer most least over under above below between before after until till since older newer".split(" "),
  ..."oldest newest latest earliest biggest largest smallest highest lowest longest shortest longer shorter later top bottom".split(
    " ",
  ),
  ..."daily weekly monthly yearly recurring repeating".split(" "),
  ..."private privately public publicly anonymously secretly everyone everybody both".split(" "),
  ..."first last next previous every each all both half average sum total compare versus vs".split(" "),
]);

/** Requests that are questions about things, whatever verb they use. "Can you …" is not one. */
export const QUESTION_WORDS = new Set(
  "what which who whose whom when where why how is are was were did does do has have should any am anyone anything".split(
    " ",
  ),
);

/** What asks for things, as in "tell Sam what is open". */
export const ASKING_WORDS = new Set(["what", "which", "who"]);

/** What may stand before the request proper. */
export const POLITE_WORDS = new Set(
  "please can could would will you kindly hey hi hello ok okay kay now then also and just i want need like to 'd let lets let's 's us me so next finally go ahead help quickly nevermind know lemme".split(
    " ",
  ),
);

/** What may come between what is asked for and where it is: "the bugs in KAY", "pages about onboarding". */
export const PLACE_WORDS = new Set(
  "in of about from for with on at to by into onto via where that which who since until between as called labelled".split(
    " ",
  ),
);

export const PREPOSITIONS = new Set(
  "in of about from for with on at to by into onto via as under inside within through against without regarding".split(
    " ",
  ),
);

/** Words that lead to a text: "a page called …", "a message saying …". */
export const TEXT_CUES = new Set("called named titled entitled saying says say that reading".split(" "));

/** Words that change nothing in any request. */
export const EMPTY_WORDS = new Set(
  "a an the of please kindly just some there here quickly now kay also too".split(" "),
);

/** Words that change nothing in a request to look at something. */
export const EMPTY_IN_READS = new Set(
  "is are was were be been being am do does did has have had i you we us me it's 'm 're 've 's which that who what any all every each currently right still yet already only anyone anybody someone somebody everything everyone anything going up so really exactly got get give show list tell see many much out then and me us everything stuff thing things value values contents".split(
    " ",
  ),
);

/** Whether a word looks like several of a kind: "bugs", "PRs", "people". */
export function isPlural({ text, lower, kind, stop }: Word): boolean {
  return kind === "word" && !stop && (lower === "people" || (text.length > 2 && /[^s]s$/i.test(text)));
}

/** "Assigned", "updated": what was done with something, and no name. */
export function isParticiple({ text, lower, lemma }: Word): boolean {
  return /^\p{Ll}+ed$/u.test(text) && lemma !== lower;
}
