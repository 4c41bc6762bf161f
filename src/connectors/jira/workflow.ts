import { normalizeWords } from "../input-text.ts";

/**
 * A transition that an issue can take now, and its target status. `category` is Jira's: `new`, `indeterminate`, `done`.
 */
export type Transition = { id: string; name: string; status: string; category?: string };

/** The requested target: everyday words name a category of statuses, anything else names a status. */
export type TransitionGoal = { category?: string; words(key: string): string };

/** Parses a goal such as "close", "start" or "In Review". */
export function parseGoal(text: string): TransitionGoal {
  const word = normalizeWords(text);
  const everyday = EVERYDAY.find(({ verbs }) => verbs.includes(word));
  if (everyday)
    return {
      category: everyday.category,
      words: (key) => `${everyday.verb} ${key} (move it to a status that counts as ${everyday.means})`,
    };
  return {
    category: NAMES.find(({ names }) => names.includes(word))?.category,
    words: (key) => `Move ${key} to ${text.trim()}`,
  };
}

/** Returns whether an issue has already reached a goal: by status name, or by category for an everyday word. */
export function isGoalReached(goal: string, status: { name: string; category?: string }): boolean {
  if (normalizeWords(goal) === normalizeWords(status.name)) return true;
  const word = normalizeWords(goal);
  const everyday = EVERYDAY.find(({ verbs }) => verbs.includes(word));
  return everyday !== undefined && everyday.category === status.category;
}

/**
 * Chooses the transition for a goal: by the target status's name, then by the transition's name, then by the category
 * of an everyday word, the usual status first. `found` is absent if none or several match.
 */
export function chooseTransition(
  goal: string,
  transitions: Transition[],
): { found?: Transition; matches: Transition[] } {
  const word = normalizeWords(goal);
  const { category } = parseGoal(goal);
  const exactMatches = [
    ({ status }: Transition) => normalizeWords(status) === word,
    ({ name }: Transition) => normalizeWords(name) === word,
  ]
    .map((fits) => transitions.filter(fits))
    .find((list) => list.length > 0);
  if (exactMatches) return { found: exactMatches[0], matches: exactMatches };
  const matches = category ? transitions.filter((transition) => transition.category === category) : [];
  const statuses = new Set(matches.map(({ status }) => status));
  const usual = matches.find(({ status }) => USUAL.includes(normalizeWords(status)));
  return { found: statuses.size === 1 ? matches[0] : usual, matches };
}

const EVERYDAY = [
  { category: "done", verb: "Close", means: "done", verbs: ["close", "finish", "complete", "resolve"] },
  { category: "indeterminate", verb: "Start", means: "in progress", verbs: ["start", "begin", "work on"] },
  { category: "new", verb: "Reopen", means: "to do", verbs: ["reopen", "open", "stop"] },
];

/** Alternative names for workflows without a status of that name. */
const NAMES = [
  { category: "done", names: ["done", "closed", "finished", "completed", "resolved"] },
  { category: "indeterminate", names: ["started", "in progress", "doing", "active"] },
  { category: "new", names: ["reopened", "todo", "to do", "backlog", "not started"] },
];

const USUAL = ["done", "closed", "resolved", "in progress", "to do", "open"];
