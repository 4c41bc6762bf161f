/** A step that an issue can take now, and the status it leads to. `category` is Jira's: `new`, `indeterminate`, `done`. */
export type Transition = { id: string; name: string; status: string; category?: string };

/** What a person wants of an issue: words of everyday use name a category of statuses, anything else a status by name. */
export type TransitionGoal = { category?: string; words(key: string): string };

/** The goal in a request such as "close", "start" or "In Review". */
export function parseGoal(wanted: string): TransitionGoal {
  const word = normal(wanted);
  const everyday = EVERYDAY.find(({ verbs }) => verbs.includes(word));
  if (everyday)
    return {
      category: everyday.category,
      words: (key) => `${everyday.verb} ${key} (move it to a status that counts as ${everyday.means})`,
    };
  return {
    category: NAMES.find(({ names }) => names.includes(word))?.category,
    words: (key) => `Move ${key} to ${wanted.trim()}`,
  };
}

/** Whether the issue is there already: by name, or for a word of everyday use by the category of its status. */
export function isGoalReached(wanted: string, status: { name: string; category?: string }): boolean {
  if (normal(wanted) === normal(status.name)) return true;
  const word = normal(wanted);
  const everyday = EVERYDAY.find(({ verbs }) => verbs.includes(word));
  return everyday !== undefined && everyday.category === status.category;
}

/**
 * The step that reaches a goal: the status of that name, else the step of that name, else the statuses of the category that the word stands
 * for, the usual one first. `found` is missing when none or several fit.
 */
export function chooseTransition(
  wanted: string,
  transitions: Transition[],
): { found?: Transition; matches: Transition[] } {
  const word = normal(wanted);
  const { category } = parseGoal(wanted);
  const named = [({ status }: Transition) => normal(status) === word, ({ name }: Transition) => normal(name) === word]
    .map((fits) => transitions.filter(fits))
    .find((list) => list.length > 0);
  if (named) return { found: named[0], matches: named };
  const matches = category ? transitions.filter((transition) => transition.category === category) : [];
  const statuses = new Set(matches.map(({ status }) => status));
  const usual = matches.find(({ status }) => USUAL.includes(normal(status)));
  return { found: statuses.size === 1 ? matches[0] : usual, matches };
}

const EVERYDAY = [
  { category: "done", verb: "Close", means: "done", verbs: ["close", "finish", "complete", "resolve"] },
  { category: "indeterminate", verb: "Start", means: "in progress", verbs: ["start", "begin", "work on"] },
  { category: "new", verb: "Reopen", means: "to do", verbs: ["reopen", "open", "stop"] },
];

/** Names that workflows without a status of that name have another word for. */
const NAMES = [
  { category: "done", names: ["done", "closed", "finished", "completed", "resolved"] },
  { category: "indeterminate", names: ["started", "in progress", "doing", "active"] },
  { category: "new", names: ["reopened", "todo", "to do", "backlog", "not started"] },
];

const USUAL = ["done", "closed", "resolved", "in progress", "to do", "open"];

function normal(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, " ");
}
