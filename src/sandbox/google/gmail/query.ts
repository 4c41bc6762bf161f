import type { GoogleState, Message } from "../state.ts";

const SYSTEM = new Set(["inbox", "sent", "starred", "unread", "important", "spam", "trash", "draft"]);

/**
 * Returns the messages of a mailbox that a query finds, newest first: words, "phrases", from:, to:, subject:, in:, is:,
 * label:, has:attachment, after:, before:, (groups), and - before any of them. Spam and trash are left out unless the
 * query names them.
 */
export function findMail(world: GoogleState, account: string, query: string, everywhere: boolean): Message[] {
  const tests = parseTerms(query).map((term) => getTest(world, account, term));
  const includesAll = everywhere || /\b(in|is|label):(anywhere|spam|trash)\b/i.test(query);
  return world.messages
    .filter((message) => message.account === account)
    .filter(({ labelIds }) => includesAll || !(labelIds.includes("SPAM") || labelIds.includes("TRASH")))
    .filter((message) => tests.every((test) => test(message)))
    .sort((a, b) => b.date.localeCompare(a.date));
}

type Term = { not: boolean; key: string; values: string[] };

function parseTerms(query: string): Term[] {
  const matches = query.matchAll(/(-)?(?:(\w+):)?(?:\(([^)]*)\)|"([^"]*)"|([^\s()"]+))/g);
  return [...matches].map(([, minus, key = "", group, phrase, word]) => ({
    not: minus !== undefined,
    key: key.toLowerCase(),
    values:
      phrase === undefined ? (group ?? word ?? "").toLowerCase().split(/\s+/).filter(Boolean) : [phrase.toLowerCase()],
  }));
}

function getTest(world: GoogleState, account: string, { not, key, values }: Term): (message: Message) => boolean {
  const labels = world.labels.filter((label) => label.account === account);
  const test = (message: Message): boolean => {
    const includesAll = (text: string) => values.every((value) => text.toLowerCase().includes(value));
    if (key === "from") return includesAll(message.from);
    if (key === "to") return includesAll(`${message.to} ${message.cc} ${message.bcc}`);
    if (key === "subject") return includesAll(message.subject);
    if (key === "after") return Date.parse(message.date) >= getTime(values[0]);
    if (key === "before") return Date.parse(message.date) < getTime(values[0]);
    if (key === "has") return values[0] === "attachment" && message.attachments.length > 0;
    if (key === "in" || key === "is" || key === "label")
      return values.every((value) => hasLabel(message, value, labels));
    return includesAll(
      `${message.subject} ${message.from} ${message.to} ${message.text} ${message.html.replace(/<[^>]*>/g, " ")}`,
    );
  };
  return (message) => test(message) !== not;
}

/** Parses a day (2026/11/20), or seconds since the epoch. */
function getTime(value = ""): number {
  return /^\d{9,}$/.test(value) ? Number(value) * 1000 : Date.parse(`${value.replaceAll("/", "-")}T00:00:00Z`);
}

function hasLabel({ labelIds }: Message, name: string, labels: GoogleState["labels"]): boolean {
  if (name === "anywhere") return true;
  if (name === "read") return !labelIds.includes("UNREAD");
  const word = name === "drafts" ? "draft" : name;
  if (SYSTEM.has(word)) return labelIds.includes(word.toUpperCase());
  const match = labels.find(
    (label) => label.name.toLowerCase().replace(/[\s/]+/g, "-") === name.replace(/[\s/]+/g, "-"),
  );
  return match !== undefined && labelIds.includes(match.id);
}
