import type { Skill } from "./catalogue.ts";
import { type Clause, sliceText } from "./clauses.ts";
import type { Field } from "./fields.ts";
import type { CompletedCall } from "./memory.ts";
import type { NearExample } from "./nearest.ts";
import type { FeedCall } from "./plan.ts";

/** Last line of every answer, which says what answered. */
export const SIGNATURE = "_Answered by the offline planner, without a language model._";

/** Says that a request is longer than the planner reads. Nothing is done. */
export function formatTooComplicated(): string {
  return "That request is too complicated for the offline planner. Ask for one thing at a time, in fewer words.";
}

/** Says that a request in another language was not read. */
export function formatForeign(): string {
  return "The offline planner reads English only. A language model reads any language.";
}

export function formatTooLong(most: number): string {
  return [
    `That request is too long for the offline planner, which reads up to ${most} words. Nothing was done.`,
    "Ask for one thing at a time, put long text in quotes, or pass it with `--file`.",
  ].join("\n\n");
}

/** What can be done: the services, and a request for each; more of them for the named ones. */
export function formatHelp(skills: Skill[], named: Skill[]): string {
  const titles = [...new Set(skills.map(({ title }) => title))];
  if (titles.length === 0) return "I cannot do anything yet: no service has tools here.";
  const shown = named.length > 0 ? [...new Set(named.map(({ title }) => title))] : titles;
  const lines = shown.flatMap((title) => {
    const own = skills.filter((skill) => skill.title === title);
    const some = named.length > 0 ? own : own.slice(0, 1);
    return some.map((skill) => `- “${formatSpoken(skill)}”${named.length > 0 ? "" : ` (${title})`}`);
  });
  return `I can help you with ${list(shown)}. Things to ask for:\n\n${lines.join("\n")}`;
}

export function formatGreeting(skills: Skill[]): string {
  const services = [...new Set(skills.map(({ title }) => title))];
  const example = skills[0] ? ` Try “${formatSpoken(skills[0])}”, or ask what I can help you with.` : "";
  return `Hello! I can work on ${list(services) || "nothing yet"}.${example}`;
}

/** A request that was not understood, the words that were in the way, and the nearest thing that can be done. */
export function formatNotUnderstood(clause: string, near: NearExample | undefined, loose?: string): string {
  const why = loose ? `, because I do not understand ${loose}` : "";
  const offer = near
    ? ` The nearest thing that I can do is “${formatSpoken(near.skill, near.example)}” (${near.skill.title}).`
    : "";
  return `I do not know how to do “${shorten(clause)}”${why}.${offer}`;
}

/** Several services could do the same. */
export function formatEither(titles: string[]): string {
  return `${titles.length === 2 ? "Both " : ""}${list(titles)} can do that. Name the service in the request.`;
}

/** No tool of the service does what is asked for. */
export function formatNoTool(clause: string, title: string): string {
  return `I have no tool of ${title} that can do “${shorten(clause)}”. Nothing was done. Do it in ${title} itself.`;
}

/** Words of a request that its answer does not take into account. */
export function formatLeftOut(loose: string): string {
  return `I left out ${loose}, which I do not understand.`;
}

/** A change that was asked for and not made. */
export function formatNotDone(clause: string): string {
  return `I did not do “${shorten(clause)}”, which I do not understand.`;
}

export function formatForbidden(clause: string): string {
  return `I did nothing, since you said “${shorten(clause)}”.`;
}

/** Quotes the words that nothing accounts for. */
export function formatLoose(loose: number[], clause: Clause): string {
  const sorted = [...new Set(loose)].sort((a, b) => a - b);
  const runs: [from: number, to: number][] = [];
  for (const at of sorted) {
    const last = runs.at(-1);
    if (last?.[1] === at) last[1] = at + 1;
    else runs.push([at, at + 1]);
  }
  return runs.map(([from, to]) => `“${sliceText(clause, from, to)}”`).join(", ");
}

/** Nothing was found that could be passed on. */
export function formatNothingFound({ part, read }: FeedCall): string {
  if (part?.name === "address")
    return `I did nothing, since “${Object.values(read.input).join(" ")}” is not the name of exactly one person with an address. Write the email address.`;
  return "There was nothing to pass on, so nothing was written.";
}

/** Ask for what a tool needs, by name. */
export function formatMissing(skill: Skill, missing: Field[], choices: { label: string }[] = []): string {
  const [only] = missing;
  const purpose = lowerFirst(firstSentence(skill.description).replace(/(?<![.:])[.:]+$/, ""));
  if (choices.length > 1)
    return `${formatFormPrompt(skill, missing)}\n\n${choices.map(({ label }, at) => `${at + 1}. ${label}`).join("\n")}`;
  if (missing.length === 1 && only) return `${formatFormPrompt(skill, missing)} ${question(only)}`;
  const lines = missing.map((field) => `- **${words(field.name)}**: ${field.description}`);
  return `To ${purpose}, I need:\n\n${lines.join("\n")}`;
}

/** Names the fields that a form asks for. */
export function formatFormPrompt(skill: Skill, missing: Field[]): string {
  const purpose = lowerFirst(firstSentence(skill.description).replace(/(?<![.:])[.:]+$/, ""));
  return `To ${purpose}, I need ${list(missing.map(nameField))}.`;
}

/** The answer after the calls of a turn: what each tool said, and what went wrong. */
export function formatResults(calls: CompletedCall[]): string {
  const texts = calls.map(({ tool, name = tool, result, error }) => {
    if (error?.denied) return formatDenied(name, error.message);
    if (error) return `That did not work: ${error.message}${error.hint ? ` ${error.hint}` : ""}`;
    const { text } = result ?? {};
    return typeof text === "string" && text.trim() !== "" ? text.trim() : "Done.";
  });
  return [...new Set(texts)].join("\n\n");
}

function formatDenied(tool: string, reason: string): string {
  const words = reason.trim();
  // No one said no: the request expired.
  if (/^No answer\b/.test(words)) return `${toolName(tool)} was not run: the request expired without an answer.`;
  // The account or the object is another one since the approval.
  if (/^Nothing was sent\b/.test(words)) return `${toolName(tool)} was not run. ${words}`;
  const byUser = DENIED_BY_USER.exec(words);
  if (!byUser) return `${toolName(tool)} was denied, so it was not done.${words ? ` ${shorten(words)}` : ""}`;
  return `You denied ${toolName(tool)}${byUser[1] ? ` (“${shorten(byUser[1])}”)` : ""}, so it was not done.`;
}

/** The backend's reason, with the user's reason in it, and the terminal that answered. */
const DENIED_BY_USER = /^The user denied this(?:: (.*?))?(?: \([^()]*\))?\.?$/s;

function toolName(wire: string): string {
  return wire.replace("_at_", "@").replaceAll("__", ".");
}

/** An example of a tool as a user would say it, with sample values in the slots. */
function formatSpoken(skill: Skill, example = skill.examples[0] ?? skill.name): string {
  return example.replace(/\{(\w+)\}/g, (_, name: string) =>
    sample(
      skill.fields.find((field) => field.name === name),
      name,
    ),
  );
}

function sample(field: Field | undefined, name: string): string {
  const given = /(?:such as|like|e\.g\.|for example)\s+(?:["“]([^"”]+)["”]|([^\s,;)"”]+))/i.exec(
    field?.description ?? "",
  );
  const value = given?.[1] ?? given?.[2];
  if (field?.kind === "boolean") return words(name);
  if (value) return value.replace(/(?<![.…])[.…]+$/, "");
  return (field?.person ? undefined : field?.values[0]?.value) ?? `<${words(name)}>`;
}

/** "the summary"; a name that is not a noun, such as that of the field `to`, in quotes. */
function nameField({ name }: Field): string {
  return name.length > 3 ? `the ${words(name)}` : `“${name}”`;
}

function question(field: Field): string {
  return field.description ? `(${field.description.replace(/\.$/, "")}.)` : "Which one?";
}

function firstSentence(text: string): string {
  return /^[^.:]+[.:]?/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}

function words(name: string): string {
  return name.replace(/[_-]+|(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase();
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}

function list(names: string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
