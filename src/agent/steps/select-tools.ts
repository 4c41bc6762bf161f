import { distance } from "fastest-levenshtein";
import type { AgentTool } from "../tool.ts";
import { countWireCharacters } from "./wire-tools.ts";

/** Criteria that determine which tools a model gets. */
type Selection = {
  /** Names of the connected services. */
  connected: string[];
  /** The user's text. */
  text: string;
  /** Names of the tools that a search found in this generation. */
  found: string[];
  /** Highest number of tools. */
  maxTools: number;
};

/** Characters of names, descriptions and schemas that are worth their tokens in every step: about 3,900 tokens. */
const MAX_CHARACTERS = 15_500;

/** Tools that are offered when nothing is connected and the conversation names no service. */
const MAX_GUESSED_TOOLS = 8;

/**
 * Selects the tools for a model, in catalogue order: tools that a search found, then those of services that the
 * user names, then those of connected services, best match first. The model finds the others with
 * {@link searchTools}, which it gets as a tool.
 */
export function selectTools(all: AgentTool[], { connected, text, found, maxTools }: Selection): AgentTool[] {
  const ranks = [
    all.filter(({ name }) => found.includes(name)),
    all.filter((tool) => isNamed(tool, text)),
    all.filter(({ service }) => connected.includes(service)),
  ];
  const best = rankTools(all, listStems(text));
  const ordered = new Set(
    ranks.flatMap((group) => best.filter(({ tool }) => group.includes(tool)).map(({ tool }) => tool)),
  );
  const candidates = ordered.size > 0 ? [...ordered] : searchTools(all, text).slice(0, MAX_GUESSED_TOOLS);
  const selected = new Set<AgentTool>();
  let characters = 0;
  for (const tool of candidates) {
    characters += countWireCharacters(tool);
    if (selected.size >= maxTools || characters > MAX_CHARACTERS) break;
    selected.add(tool);
  }
  return all.filter((tool) => selected.has(tool));
}

/** Returns the tools that match a query, best first, tolerating typos. Empty when none matches. */
export function searchTools(all: AgentTool[], query: string): AgentTool[] {
  return rankTools(all, listStems(query))
    .filter(({ score }) => score > 0)
    .slice(0, MAX_FOUND_TOOLS)
    .map(({ tool }) => tool);
}

/** Returns whether the text contains the name or title of the service, or the tool's name, as whole words. */
function isNamed({ name, service, title }: AgentTool, text: string): boolean {
  const normalized = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}._]+/gu, " ")} `.replace(/\.(?= )/g, "");
  return [name, service.replaceAll("-", " "), service, title.toLowerCase()].some((label) =>
    normalized.includes(` ${label} `),
  );
}

/** Scores every tool by the query's words. Rare words count more than words that all tools share. */
function rankTools(all: AgentTool[], words: string[]): { tool: AgentTool; score: number }[] {
  const index = all.map((tool) => ({ tool, fields: getFields(tool) }));
  const wordCounts = new Map<string, number>();
  for (const { fields } of index) {
    for (const word of new Set(fields.flatMap(([word]) => word))) wordCounts.set(word, (wordCounts.get(word) ?? 0) + 1);
  }
  const terms = [...new Set(words)].flatMap((word) => findSimilarWords(word, wordCounts));
  const scored = index.map(({ tool, fields }) => ({
    tool,
    score: terms.reduce((sum, { word, certainty }) => {
      const weight = Math.max(0, ...fields.filter(([stems]) => stems.includes(word)).map(([, weight]) => weight));
      return sum + weight * certainty * Math.log(1 + all.length / (wordCounts.get(word) ?? 1));
    }, 0),
  }));
  return scored.sort((a, b) => b.score - a.score);
}

/** Returns the words of a tool with their weights. */
function getFields({ name, service, title, description, examples }: AgentTool): [stems: string[], weight: number][] {
  return [
    [listStems(`${name} ${service} ${title}`), 3],
    [listStems(description), 2],
    [listStems(examples.join(" ").replace(/\{\w+\}/g, " ")), 1],
  ];
}

/** Returns the word if any tool has it, otherwise similar words with a lower weight. */
function findSimilarWords(word: string, wordCounts: Map<string, number>): { word: string; certainty: number }[] {
  if (wordCounts.has(word)) return [{ word, certainty: 1 }];
  if (word.length < 4) return [];
  const slips = word.length < 7 ? 1 : 2;
  return [...wordCounts.keys()]
    .filter((candidate) => distance(word, candidate) <= slips)
    .map((candidate) => ({ word: candidate, certainty: 0.5 }));
}

/** Returns the stems of a text's words, without stop words. */
function listStems(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem);
}

/** Removes common endings, so that "issues" matches "issue" and "creating" matches "create". A mail is an email. */
function stem(word: string): string {
  if (/^mails?$/.test(word)) return "email";
  if (word.length < 4) return word;
  return word.replace(/ies$/, "y").replace(/(?:ing|ed|es|s|e)$/, "");
}

/** Maximum number of tools that one search makes available. */
const MAX_FOUND_TOOLS = 12;

const STOP_WORDS = new Set(
  "the and for with from into all any its this that what which who how are was has have can you please of in on to is it at by an or me my".split(
    " ",
  ),
);
