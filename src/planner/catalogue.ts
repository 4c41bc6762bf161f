import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type Field, listFields } from "./fields.ts";
import { isPlural, PLACE_WORDS } from "./grammar.ts";
import type { Language, Word } from "./language.ts";
import { isServiceTool } from "./memory.ts";

/** A tool as the planner knows it: its fields, and its examples as patterns of words and slots. */
export type Skill = {
  name: string;
  service: string;
  title: string;
  access: "read" | "write" | "destructive";
  description: string;
  examples: string[];
  /** Telling words of the description. */
  vocabulary: Word[];
  fields: Field[];
  patterns: Part[][];
  /** For each field, the words that stand before its slot in the examples. */
  cues: Map<string, Word[]>;
  /** The subject of the examples before their place: "bugs", "issues", and the slots among them. */
  things: Part[];
};

/** Everything that can be done: the tools of services, and by their names those of the agent itself, which answer no request of a service. */
export type ToolCatalogue = { skills: Skill[]; others: Map<string, LanguageModelV4FunctionTool> };

/** A piece of an example: a word with what it weighs among all tools, or a slot. */
export type Part = { word: Word; weight: number } | { slot: Field };

/** Whether a word leads to a field: it does so in the examples, or it is the field's own name, or leads to persons in general. */
export function isCueFor(skill: Skill, field: Field, word: Word | undefined): boolean {
  if (word === undefined) return false;
  if (word.lower === field.name || word.lemma === field.name || (field.person && PERSONAL.has(word.lower))) return true;
  if (field.kind === "text" && TITLING.has(word.lower)) return true;
  return (
    skill.cues.get(field.name)?.some((cue) => cue.lower === word.lower || (!cue.stop && cue.stem === word.stem)) ??
    false
  );
}

const ARTICLES = new Set(["a", "an", "the", "all", "my", "new", "some", "any"]);
const TITLING = new Set(["called", "named", "titled", "entitled", "saying"]);
const PERSONAL = new Set(["to", "by", "from", "for", "with"]);

/** Learn every tool from its own description, examples and JSON Schema; the same tools are learned once. */
export function buildCatalogue(tools: LanguageModelV4FunctionTool[], language: Language): ToolCatalogue {
  const key = JSON.stringify(tools);
  if (learned?.key === key) return learned.kit;
  const skills = study(
    tools.filter(({ name }) => isServiceTool(name)),
    memoize(language),
  );
  const others = tools.filter(({ name }) => !isServiceTool(name)).map((tool) => [tool.name, tool] as const);
  learned = { key, kit: { skills, others: new Map(others) } };
  return learned.kit;
}

let learned: { key: string; kit: ToolCatalogue } | undefined;

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

function study(tools: LanguageModelV4FunctionTool[], language: Language): Skill[] {
  const drafts = tools.map((tool) => draft(tool, language));
  const weigh = weights(
    drafts.map(({ examples, description, fields }) =>
      [description, ...examples.map((text) => bare(text, fields))].join(". "),
    ),
    language,
  );
  return drafts.map((skill) => {
    const patterns = skill.examples.map((example) => pattern(example, skill.fields, language, weigh));
    return { ...skill, patterns, cues: getCues(patterns), things: patterns.flatMap(getThings) };
  });
}

function draft(tool: LanguageModelV4FunctionTool, language: Language): Omit<Skill, "patterns" | "cues" | "things"> {
  const kay = (tool.providerOptions?.kay ?? {}) as { access?: Skill["access"]; examples?: string[]; title?: string };
  const examples = (Array.isArray(kay.examples) ? kay.examples : []).filter((example) => typeof example === "string");
  const service = tool.name.split(/__|\./)[0] ?? tool.name;
  return {
    name: tool.name,
    service,
    title: kay.title ?? service,
    access: kay.access ?? "write",
    description: tool.description ?? "",
    vocabulary: language
      .read((tool.description ?? "").replaceAll(":", ","))
      .filter(({ stop, kind }) => !stop && kind === "word"),
    examples: examples.length > 0 ? examples : [tool.name.split(/__|\./).at(-1)?.replaceAll("_", " ") ?? tool.name],
    fields: listFields(tool.inputSchema, language),
  };
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
function weights(texts: string[], language: Language): (word: Word) => number {
  const counts = new Map<string, number>();
  for (const text of texts) {
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

/** What an example asks for: its nouns and slots before "in", "about" and the like. */
function getThings(parts: Part[]): Part[] {
  const end = parts.findIndex((part) => "word" in part && PLACE_WORDS.has(part.word.lower));
  return parts.slice(0, end < 0 ? undefined : end).filter((part, index) => {
    if ("slot" in part) return part.slot.values.length > 0;
    return part.word.kind === "word" && !part.word.stop && (index > 0 || isPlural(part.word));
  });
}

function bare(example: string, fields: Field[]): string {
  return fields.reduce((text, { name }) => text.replaceAll(`{${name}}`, " "), example);
}
