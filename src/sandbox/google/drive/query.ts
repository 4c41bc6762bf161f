import { invalidError } from "../errors.ts";
import type { Account, DriveFile } from "../state.ts";

type Test = (file: DriveFile) => boolean;
type Token = { kind: "text" | "word" | "mark"; text: string };

/**
 * Drive's query language (developers.google.com/workspace/drive/api/guides/ref-search-terms): name, fullText, mimeType,
 * trashed, times, parents, owners and sharedWithMe, joined by and, or, not and brackets.
 *
 * @throws ApiError "Invalid Value" for anything else
 */
export function createDriveMatcher(query: string, me: Account, accounts: Account[]): Test {
  const tokens = getTokens(query);
  let offset = 0;
  const takeToken = () => tokens[offset++] ?? fail();
  const isWord = (text: string) => tokens[offset]?.kind === "word" && tokens[offset]?.text.toLowerCase() === text;
  const parseOr = (): Test => {
    let test = parseAnd();
    while (isWord("or")) {
      offset += 1;
      const [left, right] = [test, parseAnd()];
      test = (file) => left(file) || right(file);
    }
    return test;
  };
  const parseAnd = (): Test => {
    let test = parseTerm();
    while (isWord("and")) {
      offset += 1;
      const [left, right] = [test, parseTerm()];
      test = (file) => left(file) && right(file);
    }
    return test;
  };
  const parseTerm = (): Test => {
    if (isWord("not")) {
      offset += 1;
      const test = parseTerm();
      return (file) => !test(file);
    }
    const first = takeToken();
    if (first.text === "(" && first.kind === "mark") {
      const test = parseOr();
      if (takeToken().text !== ")") fail();
      return test;
    }
    const [operator, last] = [takeToken().text.toLowerCase(), takeToken()];
    if (first.kind === "text" && operator === "in" && last.text === "parents")
      return ({ parents }) => parents.includes(first.text);
    if (first.kind === "text" && operator === "in" && last.text === "owners") {
      const address = first.text === "me" ? me.email : first.text;
      const id = accounts.find(({ email }) => email.toLowerCase() === address.toLowerCase())?.id;
      return ({ owner }) => owner === id;
    }
    if (first.text === "sharedWithMe") {
      const isShared: Test = ({ owner, permissions }) =>
        owner !== me.id && permissions.some(({ emailAddress }) => emailAddress === me.email);
      return (file) => isShared(file) === (last.text === "true");
    }
    return createComparison(first.text, operator, last.text);
  };
  const test = parseOr();
  return offset === tokens.length ? test : fail();
}

/** Returns all text of a file. */
function getContent({ name, description, paragraphs, sheets }: DriveFile): string {
  const text = (paragraphs ?? []).map((paragraph) => paragraph.text);
  return [name, description, ...text, ...(sheets ?? []).flatMap(({ rows }) => rows.flat())].join(" ").toLowerCase();
}

function createComparison(field: string, operator: string, value: string): Test {
  const lowerValue = value.toLowerCase();
  const matchEquality = (test: Test): Test =>
    operator === "=" ? test : operator === "!=" ? (file) => !test(file) : fail();
  switch (field) {
    case "trashed":
      return matchEquality(({ trashed }) => String(trashed) === lowerValue);
    case "mimeType":
      return operator === "contains"
        ? ({ mimeType }) => mimeType.startsWith(value)
        : matchEquality(({ mimeType }) => mimeType === value);
    case "name":
      // A name is found by the beginnings of its words only.
      if (operator === "contains") return ({ name }) => ` ${name.toLowerCase()}`.includes(` ${lowerValue}`);
      return matchEquality(({ name }) => name.toLowerCase() === lowerValue);
    case "modifiedTime":
    case "createdTime":
      return compareTimes(field, operator, value);
    case "fullText":
      if (operator !== "contains") return fail();
      return (file) => lowerValue.split(/\s+/).every((word) => getContent(file).includes(word));
    default:
      return fail();
  }
}

function compareTimes(field: "modifiedTime" | "createdTime", operator: string, value: string): Test {
  const limit = Date.parse(value);
  if (Number.isNaN(limit)) return fail();
  const tests: Record<string, (time: number) => boolean> = {
    ">": (time) => time > limit,
    ">=": (time) => time >= limit,
    "<": (time) => time < limit,
    "<=": (time) => time <= limit,
    "=": (time) => time === limit,
  };
  const test = tests[operator] ?? fail();
  return (file) => test(Date.parse(file[field]));
}

function getTokens(query: string): Token[] {
  const matches = query.matchAll(/'((?:\\.|[^'\\])*)'|([\w.]+)|(!=|=|\(|\)|<=|>=|<|>)|(\S)/g);
  return [...matches].map(([, text, word, mark, other]): Token => {
    if (other !== undefined) return fail();
    if (text !== undefined) return { kind: "text", text: text.replace(/\\(.)/g, "$1") };
    return word === undefined ? { kind: "mark", text: mark ?? "" } : { kind: "word", text: word };
  });
}

function fail(): never {
  throw invalidError("Invalid Value");
}
