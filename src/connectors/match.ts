import { Problem } from "#protocol/errors";

/** Why a text is looked up. Words of a name may match another user's object, so only reads accept them. */
export type Purpose = "read" | "change";

/** How candidates are compared and listed. */
type Naming<T> = {
  purpose: Purpose;
  /** In errors: "page", and " in Notion". */
  noun: string;
  where?: string;
  /** Field of the input in errors. */
  field?: string;
  getName(item: T): string;
  /** A candidate in errors, with its distinguishing mark: "“Plan” (1qc3Z)". */
  format(item: T): string;
  /** Objects of one key count as one: messages of a conversation, events of a series. */
  getKey?(item: T): unknown;
  hints: { none: string; several: string };
};

/** Maximum number of candidates that an error lists. */
const MAX_LISTED = 5;

/**
 * Returns the one object that a text names, regardless of case, spaces and kinds of quotation marks. A read also takes
 * the only candidate, of which the text may be a part.
 *
 * @param candidates what a search for the text found
 * @throws Problem INVALID_REQUEST that lists the candidates when none or several match
 */
export function requireMatch<T>(candidates: T[], text: string, naming: Naming<T>): T {
  const { purpose, noun, where = "", field, getName, format, getKey = (item: T) => item, hints } = naming;
  const exact = candidates.filter((candidate) => isSameName(getName(candidate), text));
  const matches = exact.length > 0 || purpose === "change" ? exact : candidates;
  const [first] = matches;
  if (first !== undefined && new Set(matches.map(getKey)).size === 1) return first;
  const list = (matches.length > 0 ? matches : candidates).slice(0, MAX_LISTED).map(format).join(", ");
  const details = field === undefined ? {} : { details: { field } };
  if (first !== undefined)
    throw new Problem("INVALID_REQUEST", `Several ${noun}s${where} match “${text.trim()}”: ${list}.`, {
      hint: hints.several,
      ...details,
    });
  throw new Problem("INVALID_REQUEST", `No ${noun}${where} is called “${text.trim()}”.`, {
    hint: list === "" ? hints.none : `Similar: ${list}. Use the whole name.`,
    ...details,
  });
}

/** How people are compared and listed. */
type PeopleNaming<T> = {
  purpose: Purpose;
  /** The service in errors: "Slack". */
  where: string;
  /** Names that people choose freely, the full one first. */
  listNames(item: T): (string | null | undefined)[];
  /** Values that only one person has: handle, email address, ID. */
  listAccounts(item: T): (string | null | undefined)[];
  /** Whether one word of a name is enough for a change, because the approval shows the full name and the account. */
  isShown: boolean;
};

/**
 * Returns the one person that a text names: by account, by full name, or by a whole word of the name if no one else has
 * it. Case and accents do not matter. A read also takes a part of a name.
 *
 * @throws Problem INVALID_REQUEST that lists the people when none or several match
 */
export function requirePerson<T>(people: T[], text: string, naming: PeopleNaming<T>): T {
  const { purpose, where, listNames, listAccounts, isShown } = naming;
  const foldedText = foldText(text);
  const filter = (list: (item: T) => (string | null | undefined)[], fits: (name: string) => boolean) =>
    people.filter((item) => foldedText !== "" && list(item).some((name) => name && fits(foldText(name))));
  const account = filter(listAccounts, (name) => name === foldedText);
  const exact = filter(listNames, (name) => name === foldedText);
  const word = [
    ...filter(listNames, (name) => name.split(/[\s,]+/).includes(foldedText)),
    ...filter(listAccounts, (name) => name.startsWith(`${foldedText}@`)),
  ];
  // A person called only "Sam" must not take the place of Sam Sample.
  const whole = /\s/.test(foldedText) ? exact : [...new Set([...exact, ...word])];
  const similar = filter(
    (item) => [...listNames(item), ...listAccounts(item)],
    (name) => name.includes(foldedText),
  );
  const lists = purpose === "read" ? [account, whole, similar] : [account, whole];
  const matches = lists.find((list) => list.length > 0) ?? [];
  const [only, ...more] = matches;
  const isEnough = purpose === "read" || isShown || account.length > 0 || exact.length > 0;
  if (only !== undefined && more.length === 0 && isEnough) return only;
  const format = (item: T) => {
    const [name, ...others] = [listNames(item)[0], ...listAccounts(item)].filter(Boolean);
    return `${name ?? ""} (${others.slice(0, 2).join(", ")})`;
  };
  const list = (more.length > 0 ? matches : similar).slice(0, MAX_LISTED).map(format).join(", ");
  const sentence = more.length > 0 ? `Several people in ${where} match` : `No user in ${where} is called`;
  throw new Problem("INVALID_REQUEST", `${sentence} “${text.trim()}”${more.length > 0 ? `: ${list}` : ""}.`, {
    hint: `${more.length > 0 || list === "" ? "" : `Similar: ${list}. `}${list === "" ? "Check the name." : "Use the full name, or what is in parentheses."}`,
  });
}

/** Returns whether two names are the same, regardless of case, spaces and kinds of quotation marks. */
export function isSameName(a: string, b: string): boolean {
  return normalizeName(a) === normalizeName(b);
}

/** Returns whether a text is part of a name, regardless of accents too. */
export function isPartialName(text: string, name: string): boolean {
  return foldText(name).includes(foldText(text));
}

function normalizeName(text: string): string {
  const straight = text.replace(/[‘’ʼ]/g, "'").replace(/[“”„]/g, '"');
  return straight.normalize("NFC").replace(/\s+/g, " ").trim().toLowerCase();
}

function foldText(text: string): string {
  return normalizeName(text)
    .normalize("NFKD")
    .replace(/\p{M}|^@/gu, "");
}
