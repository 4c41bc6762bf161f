import { isDeepStrictEqual } from "node:util";
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type Field, isFieldWord, listFields } from "./fields.ts";
import { isParticiple, isPlural } from "./grammar.ts";
import type { Language, Word } from "./language.ts";
import { isVerb, listSameNouns } from "./lexicon.ts";
import { getService, isServiceTool } from "./memory.ts";
import type { Steps } from "./steps.ts";

/** A tool as the planner knows it: its fields, and its examples as patterns of words and slots. */
export type Skill = {
  name: string;
  service: string;
  title: string;
  access: "read" | "write" | "destructive";
  description: string;
  examples: string[];
  /** What people call its service, in small letters: "google docs", "docs". */
  names: string[];
  fields: Field[];
  patterns: Part[][];
  /** For each field, the words that stand before its slot in the examples. */
  cues: Map<string, Word[]>;
  /** Names of the other services, which nothing in this one is called. */
  rivals: Set<string>;
  /** What the tool works on: "issues", "page", "deals". */
  nouns: Word[];
  /** What other tools work on: no name begins with it. */
  foreign: Set<string>;
  /** Verbs of the other writes of its service. What only they have is not meant for this one. */
  siblingVerbs: Set<string>;
  verbs: Set<string>;
  /** Values that fields of all these writes know, its own among them. */
  siblingValues: Set<string>;
  /** Whether what it works on is the user's own: "my calendar". */
  personal: boolean;
};

/** Everything that can be done: the tools of services, and by their names those of the agent itself, which answer no request of a service. */
export type ToolCatalogue = { skills: Skill[]; others: Map<string, LanguageModelV4FunctionTool> };

/** A piece of an example: a word with what it weighs among all tools, or a slot. */
export type Part = { word: Word; weight: number } | { slot: Field };

const ARTICLES = new Set("a an the all my new some any".split(" "));

const PERSONAL = /\bmy\b|\buser's\b|\bthis account\b|\byour\b|\baccount\b/i;

/** Learn every tool from its own description, examples and JSON Schema; the same tools are learned once. */
export function* buildCatalogue(tools: LanguageModelV4FunctionTool[], language: Language): Steps<ToolCatalogue> {
  const known = learned.find(
    (each) => each.tools.length === tools.length && each.tools.every((tool, at) => isSameTool(tool, tools[at])),
  );
  if (known) {
    learned = [known, ...learned.filter((each) => each !== known)];
    return known.catalogue;
  }
  const skills = yield* study(
    tools.filter(({ name }) => isServiceTool(name)),
    memoize(language),
  );
  const others = tools.filter(({ name }) => !isServiceTool(name)).map((tool) => [tool.name, tool] as const);
  const catalogue = { skills, others: new Map(others) };
  learned = [{ tools, catalogue }, ...learned.slice(0, MAX_LEARNED - 1)];
  return catalogue;
}

/** Compares identities first: descriptions and schemas of most tools are the same objects in every request. */
function isSameTool(learnedTool: LanguageModelV4FunctionTool, tool: LanguageModelV4FunctionTool | undefined): boolean {
  const isIdentical =
    learnedTool.name === tool?.name &&
    learnedTool.description === tool.description &&
    learnedTool.inputSchema === tool.inputSchema &&
    learnedTool.providerOptions === tool.providerOptions;
  return isIdentical || isDeepStrictEqual(learnedTool, tool);
}

/** What was used last. Requests of several users are answered in turn, and learning takes about 60 ms. */
let learned: { tools: LanguageModelV4FunctionTool[]; catalogue: ToolCatalogue }[] = [];
const MAX_LEARNED = 8;

/** The same words stand in many descriptions and examples; each text is read once. */
function memoize(language: Language): Language {
  const known = new Map<string, Word[]>();
  return {
    read(text) {
      const words = known.get(text) ?? language.read(text);
      known.set(text, words);
      return words;
    },
  };
}

function* study(tools: LanguageModelV4FunctionTool[], language: Language): Steps<Skill[]> {
  const drafts: ReturnType<typeof draft>[] = [];
  for (const tool of tools) {
    drafts.push(draft(tool, language));
    yield WORK_OF_TOOL;
  }
  const weigh = yield* weighWords(
    drafts.map(({ examples, description, fields }) =>
      [description, ...examples.map((text) => bare(text, fields))].join(". "),
    ),
    language,
  );
  const titles = [...new Set(drafts.flatMap(({ service, title, names }) => [service, title.toLowerCase(), ...names]))];
  const skills: Omit<Skill, "foreign" | "siblingVerbs" | "siblingValues">[] = [];
  for (const skill of drafts) {
    const patterns = [...skill.examples, ...listTurns(skill)].map((example) =>
      pattern(example, skill.fields, language, weigh),
    );
    const rivals = new Set(titles.filter((title) => !skill.names.includes(title)));
    const verbs = new Set(patterns.flatMap(([part]) => (part && "word" in part ? [part.word.lower] : [])));
    skills.push({ ...skill, patterns, cues: getCues(patterns), nouns: listNouns(skill, patterns), rivals, verbs });
    yield WORK_OF_TOOL;
  }
  const foreign = new Set(skills.flatMap(({ nouns }) => nouns.flatMap(listSameNouns)));
  const writes = Map.groupBy(
    skills.filter(({ access }) => access !== "read"),
    ({ service }) => service,
  );
  const values = new Map([...writes].map(([service, own]) => [service, listValues(own)]));
  return skills.map((skill) => {
    const { service, access, name } = skill;
    const siblings = (writes.get(service) ?? []).filter((one) => one.name !== name);
    return {
      ...skill,
      foreign,
      siblingVerbs: new Set(siblings.flatMap(({ verbs }) => [...verbs])),
      siblingValues: (access === "read" ? undefined : values.get(service)) ?? new Set(),
    };
  });
}

function listValues(skills: Pick<Skill, "fields">[]): Set<string> {
  const fields = skills.flatMap((skill) => skill.fields);
  return new Set(fields.flatMap(({ values }) => values.map(({ value }) => value.toLowerCase())));
}

/** What it costs to learn a tool, in the unit of {@link Steps}: a millisecond or two. */
const WORK_OF_TOOL = 500;

function draft(
  tool: LanguageModelV4FunctionTool,
  language: Language,
): Pick<Skill, "name" | "service" | "title" | "access" | "description" | "names" | "personal" | "examples" | "fields"> {
  const kay = (tool.providerOptions?.kay ?? {}) as { access?: Skill["access"]; examples?: string[]; title?: string };
  const examples = (Array.isArray(kay.examples) ? kay.examples : []).filter((example) => typeof example === "string");
  const service = getService(tool.name);
  return {
    name: tool.name,
    service,
    title: kay.title ?? service,
    access: kay.access ?? "write",
    description: tool.description ?? "",
    names: listServiceNames(service, kay.title ?? service),
    personal: PERSONAL.test(`${tool.description} ${examples.join(" ")}`),
    examples: examples.length > 0 ? examples : [tool.name.split(/__|\./).at(-1)?.replaceAll("_", " ") ?? tool.name],
    fields: listFields(tool.inputSchema, language),
  };
}

/** "Search hubspot for …" may also be said as "find … in hubspot" and "search hubspot: …". */
function listTurns({ examples, access, names }: Pick<Skill, "examples" | "access" | "names">): string[] {
  const searched = examples.flatMap((example) => /^search (.+) for (\{\w+\})$/.exec(example)?.slice(1) ?? []);
  const [place, slot] = searched;
  return access === "read" && place && slot
    ? [`find ${slot} in ${names.includes(place) ? place : (names[0] ?? place)}`, `search ${place} ${slot}`]
    : [];
}

function pattern(example: string, fields: Field[], language: Language, weigh: (word: Word) => number): Part[] {
  return example.split(/(\{\w+\})/).flatMap((piece): Part[] => {
    const field = fields.find(({ name }) => piece === `{${name}}`);
    if (field) return [{ slot: field }];
    if (/^\{\w+\}$/.test(piece)) return [];
    return language.read(piece).map((word) => ({ word, weight: weigh(word) }));
  });
}

/** How much a word tells tools apart: what every tool says weighs little, what one alone says weighs much. */
function* weighWords(texts: string[], language: Language): Steps<(word: Word) => number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    yield WORK_OF_TOOL;
    for (const stem of new Set(language.read(text).map((word) => word.stem)))
      counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  const most = Math.log(texts.length + 1);
  return (word) => {
    if (word.kind === "mark") return 0.05;
    const rarity = most === 0 ? 1 : Math.log((texts.length + 1) / (counts.get(word.stem) ?? 1)) / most;
    return word.stop ? 0.1 + 0.15 * rarity : 0.5 + 0.7 * rarity;
  };
}

function getCues(patterns: Part[][]): Map<string, Word[]> {
  const cues = new Map<string, Word[]>();
  for (const parts of patterns) {
    parts.forEach((part, index) => {
      const before = parts[index - 1];
      if (!("slot" in part) || before === undefined || !("word" in before) || ARTICLES.has(before.word.lower)) return;
      const known = cues.get(part.slot.name) ?? [];
      if (!known.some(({ lower }) => lower === before.word.lower)) known.push(before.word);
      cues.set(part.slot.name, known);
    });
  }
  return cues;
}

/** The nouns of a tool: what its examples speak of right before a slot, a small word or the end. The names of fields are none. */
function listNouns({ names }: Pick<Skill, "names">, patterns: Part[][]): Word[] {
  const nouns = new Map<string, Word>();
  for (const parts of patterns) {
    parts.forEach((part, index) => {
      if (!("word" in part) || (index === 0 && !isPlural(part.word))) return;
      const { word } = part;
      if (word.kind !== "word" || word.stop || names.includes(word.lower)) return;
      // "Issues reported by {reporter}".
      if (isVerb(word) || isParticiple(word)) return;
      const next = parts[index + 1];
      if (next !== undefined && "slot" in next && isFieldWord(next.slot, word)) return;
      if (next === undefined || "slot" in next || next.word.stop || next.word.kind === "mark")
        nouns.set(word.lower, word);
    });
  }
  return [...nouns.values()];
}

/** "Google Docs" is also "google doc", "docs" and "doc". */
function listServiceNames(service: string, title: string): string[] {
  const full = title.toLowerCase();
  const last = full.split(" ").at(-1) ?? full;
  const names = [service, service.replaceAll("-", " "), full, last];
  return [...new Set([...names, ...names.filter((name) => name.endsWith("s")).map((name) => name.slice(0, -1))])];
}

function bare(example: string, fields: Field[]): string {
  return fields.reduce((text, { name }) => text.replaceAll(`{${name}}`, " "), example);
}
