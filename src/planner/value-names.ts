import { distance } from "fastest-levenshtein";

/**
 * Similarity of the name that a user gave a property to a tool's name for it: 1 equal, 0 different. Case and separators
 * are ignored.
 */
export function scoreNearness(wanted: string, given: string): number {
  const [a, b] = [splitName(wanted), splitName(given)];
  const [joinedA, joinedB] = [a.join(""), b.join("")];
  if (joinedA === joinedB) return 1;
  if (isSame(joinedA, joinedB)) return 0.9;
  const [lastA = "", lastB = ""] = [a.at(-1), b.at(-1)];
  // "issue_key" for "key", and "assignee" for "assignee_name".
  if (a.length > 1 && b.length === 1 && lastA === lastB) return 0.8;
  if (b.length > 1 && a.length === 1 && b[0] === joinedA && NAMING.has(lastB)) return 0.8;
  if (a.length > 1 && a[0] === joinedB && NAMING.has(lastA)) return 0.75;
  if (a.length > 1 && b.length === 1 && isSame(lastA, lastB)) return 0.7;
  return joinedA.length >= 5 && distance(joinedA, joinedB) === 1 ? 0.7 : 0;
}

/** Whether a name asks how many there are. */
export function asksForCount(name: string): boolean {
  return splitName(name).some((word) => COUNTING.has(word));
}

/** Whether a name asks for the answer in words. */
export function asksForText(name: string): boolean {
  return splitName(name).some((word) => WORDS.has(word));
}

/** What a yes or no is asked about: whether anything was found, or whether it was done. */
export function getQuestionKind(name: string): "found" | "done" | undefined {
  const words = splitName(name);
  if (words.some((word) => FOUND.has(word))) return "found";
  return words.some((word) => DONE.has(word)) ? "done" : undefined;
}

/** A name or a value, to be compared: small letters and digits, the words apart, each without the `s` of a plural. */
export function splitName(name: string): string[] {
  const apart = name.replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2").toLowerCase();
  const words = apart.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => (word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word));
}

function isSame(a: string, b: string): boolean {
  return SAME.some((group) => group.includes(a) && group.includes(b));
}

/** Names of the same thing in different services. */
const SAME = [
  ["key", "id", "identifier", "number", "ref", "reference"],
  ["title", "summary", "subject", "name", "headline"],
  ["url", "link", "href", "permalink", "htmlurl"],
  ["status", "state", "stage"],
  ["type", "kind", "issuetype"],
  ["assignee", "owner", "responsible", "assignedto"],
  ["author", "creator", "reporter", "from", "sender", "createdby"],
  ["body", "description", "text", "content", "message", "detail"],
  ["created", "createdat", "date", "opened", "openedat"],
  ["updated", "updatedat", "modified", "lastupdated", "changed"],
  ["due", "duedate", "deadline"],
  ["start", "startsat", "begin", "starttime"],
  ["end", "endsat", "finish", "endtime"],
  ["email", "mail", "emailaddress"],
  ["label", "tag"],
  ["count", "total", "totalcount", "size", "amount"],
  ["repository", "repo", "project"],
];

const NAMING = new Set("name title key id email at date url number".split(" "));
const COUNTING = new Set("count total number amount size length many quantity".split(" "));
const WORDS = new Set("answer text summary message response result markdown report explanation".split(" "));
const FOUND = new Set("found any exist exists has present".split(" "));
const DONE = new Set("ok success succeeded done completed created sent updated deleted".split(" "));
