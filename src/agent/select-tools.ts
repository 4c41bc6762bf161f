import { distance } from "fastest-levenshtein";
import type { AgentTool } from "./tool.ts";

/** What decides which tools a model gets. */
type Selection = {
  /** Services that are connected, by name. */
  connected: string[];
  /** What was said in the conversation. */
  text: string;
  /** Tools that a search found in this generation, by name. */
  found: string[];
  /** How many tools the model takes well. */
  most: number;
};

/** Characters of descriptions and schemas that a model takes well; more would crowd out the conversation. */
const MOST_CHARACTERS = 60_000;

/**
 * The tools that a model gets, in the order of the catalogue: all of them where they are few enough, else those that a search found, those of
 * services that the conversation names, and those of connected services, in this order until it is enough; within one of these the best
 * match for the conversation comes first. Whoever gets fewer than all needs {@link searchTools} as a tool.
 */
export function selectTools(all: AgentTool[], { connected, text, found, most }: Selection): AgentTool[] {
  if (fits(all, most)) return all;
  const spoken = words(text);
  const ranks = [
    all.filter(({ name }) => found.includes(name)),
    all.filter((tool) => isNamed(tool, text)),
    all.filter(({ service }) => connected.includes(service)),
  ];
  const best = rank(all, spoken);
  const ordered = new Set(
    ranks.flatMap((group) => best.filter(({ tool }) => group.includes(tool)).map(({ tool }) => tool)),
  );
  const chosen = new Set<AgentTool>();
  let characters = 0;
  for (const tool of ordered) {
    characters += weight(tool);
    if (chosen.size >= most || characters > MOST_CHARACTERS) break;
    chosen.add(tool);
  }
  return all.filter((tool) => chosen.has(tool));
}

/** The tools that a query is about, the best first; a word with a slip in it still counts. Empty when none has anything of it. */
export function searchTools(all: AgentTool[], query: string): AgentTool[] {
  return rank(all, words(query))
    .filter(({ score }) => score > 0)
    .slice(0, MOST_FOUND)
    .map(({ tool }) => tool);
}

function fits(tools: AgentTool[], most: number): boolean {
  return tools.length <= most && tools.reduce((sum, tool) => sum + weight(tool), 0) <= MOST_CHARACTERS;
}

function weight({ name, description, schema }: AgentTool): number {
  return name.length + description.length + JSON.stringify(schema).length;
}

/** The conversation says the service's name or title, or the tool's own name, as words. */
function isNamed({ name, service, title }: AgentTool, text: string): boolean {
  const said = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}._]+/gu, " ")} `.replace(/\.(?= )/g, "");
  return [name, service.replaceAll("-", " "), service, title.toLowerCase()].some((each) => said.includes(` ${each} `));
}

/** Every tool with how much it is about the words: a rare word says more than one that all tools have. */
function rank(all: AgentTool[], wanted: string[]): { tool: AgentTool; score: number }[] {
  const index = all.map((tool) => ({ tool, fields: getFields(tool) }));
  const known = new Map<string, number>();
  for (const { fields } of index) {
    for (const word of new Set(fields.flatMap(([found]) => found))) known.set(word, (known.get(word) ?? 0) + 1);
  }
  const terms = [...new Set(wanted)].flatMap((word) => nearest(word, known));
  const scored = index.map(({ tool, fields }) => ({
    tool,
    score: terms.reduce((sum, { word, sure }) => {
      const hit = Math.max(0, ...fields.filter(([found]) => found.includes(word)).map(([, counts]) => counts));
      return sum + hit * sure * Math.log(1 + all.length / (known.get(word) ?? 1));
    }, 0),
  }));
  return scored.sort((a, b) => b.score - a.score);
}

/** Words of a tool, and how much a word there counts. */
function getFields({ name, service, title, description, examples }: AgentTool): [found: string[], counts: number][] {
  return [
    [words(`${name} ${service} ${title}`), 3],
    [words(description), 2],
    [words(examples.join(" ").replace(/\{\w+\}/g, " ")), 1],
  ];
}

/** The word as tools have it; where none has it, those that differ by a slip, which are less sure. */
function nearest(word: string, known: Map<string, number>): { word: string; sure: number }[] {
  if (known.has(word)) return [{ word, sure: 1 }];
  if (word.length < 4) return [];
  const slips = word.length < 7 ? 1 : 2;
  return [...known.keys()].filter((each) => distance(word, each) <= slips).map((each) => ({ word: each, sure: 0.5 }));
}

/** Words without their endings, small words left out. */
function words(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.filter((word) => word.length > 1 && !SMALL.has(word)).map(stem);
}

/** Enough to bring "issues", "created" and "creating" together with "issue" and "create". */
function stem(word: string): string {
  if (word.length < 4) return word;
  return word.replace(/ies$/, "y").replace(/(?:ing|ed|es|s|e)$/, "");
}

/** Tools that one search makes available. */
const MOST_FOUND = 12;

const SMALL = new Set(
  "the and for with from into all any its this that what which who how are was has have can you please of in on to is it at by an or me my".split(
    " ",
  ),
);
