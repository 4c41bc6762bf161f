import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { PREPOSITIONS, PRONOUNS } from "./grammar.ts";
import type { Language, Word } from "./language.ts";
import type { PlannerDecision } from "./plan.ts";

/**
 * Chooses the account of each service that has several. The planner then works as if that account were the only one: the
 * tools and the calls before have the names of the service, and the words of a request that name the account name the service.
 *
 * @param texts the request, and an open one that it answers
 */
export function chooseAccounts(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  texts: string[],
): {
  prompt: LanguageModelV4Prompt;
  tools: LanguageModelV4FunctionTool[];
  language: Language;
  /** Gives the calls to the chosen accounts. Asks which account is meant where none is chosen. */
  finish(decision: Extract<PlannerDecision, { calls: unknown }>): PlannerDecision;
} {
  const accounts = [...new Set(tools.map(({ name }) => getService(name)))];
  const several = new Set(accounts.filter((account) => account.includes(MARK)).map(getBase));
  if (several.size === 0) return { prompt, tools, language, finish: (decision) => decision };
  const listAccounts = (base: string) => accounts.filter((account) => getBase(account) === base);
  const words = texts.flatMap((text) => language.read(text));
  const last = words.some(({ lower }) => PRONOUNS.has(lower)) ? getLastAccount(prompt) : undefined;
  const chosen = new Map<string, string>();
  for (const base of several) {
    const named = listAccounts(base).filter((account) => words.some((_, at) => isNamed(account, words, at)));
    const [account, ...more] = listAccounts(base);
    const implied = more.length === 0 ? account : last && getBase(last) === base ? last : undefined;
    const [only, ...others] = named.length === 0 && implied ? [implied] : named;
    if (only !== undefined && others.length === 0) chosen.set(base, only);
  }
  const names = new Map(accounts.map((account) => [toName(account), getBase(account)]));
  const getSource = (base: string) => chosen.get(base) ?? listAccounts(base)[0] ?? base;
  // What another account found is not of this one.
  const rename = (tool: string) => {
    const [account, base] = [getService(tool), getBase(getService(tool))];
    return chosen.get(base) === account ? `${base}${tool.slice(account.length)}` : tool;
  };
  return {
    prompt: prompt.map((message): LanguageModelV4Prompt[number] =>
      message.role === "assistant"
        ? {
            ...message,
            content: message.content.map((part) =>
              part.type === "tool-call" ? { ...part, toolName: rename(part.toolName) } : part,
            ),
          }
        : message,
    ),
    tools: tools.flatMap((tool) => {
      const account = getService(tool.name);
      return getSource(getBase(account)) === account ? [asOnlyAccount(tool, account)] : [];
    }),
    language: { read: (text, open) => language.read(text, open).map((word) => replaceName(word, names)) },
    finish(decision) {
      const open = decision.calls
        .map(({ tool }) => getService(tool))
        .find((base) => several.has(base) && !chosen.has(base));
      if (open !== undefined) return { text: formatAccounts(open, listAccounts(open).map(toName)), unknown: true };
      const calls = decision.calls.map((call) => {
        const base = getService(call.tool);
        return { ...call, tool: `${chosen.get(base) ?? base}${call.tool.slice(base.length)}` };
      });
      return { calls };
    },
  };
}

/** How a wire name separates a service from its account: `jira_at_work__search`. */
const MARK = "_at_";

function getService(toolName: string): string {
  return toolName.split("__")[0] ?? toolName;
}

function getBase(service: string): string {
  return service.split(MARK)[0] ?? service;
}

function toName(service: string): string {
  return service.replace(MARK, "@");
}

/** "Jira@work" anywhere, and the account that is called as its service only where a place is said: "in jira", "jira: …". */
function isNamed(account: string, words: Word[], at: number): boolean {
  const { kind, lower } = words[at] as Word;
  if (kind !== "word" || lower !== toName(account)) return false;
  const next = words[at + 1]?.text ?? "";
  return account.includes(MARK) || PREPOSITIONS.has(words[at - 1]?.lower ?? "") || next === ":" || next === ",";
}

function replaceName(word: Word, names: Map<string, string>): Word {
  const base = word.kind === "word" ? names.get(word.lower) : undefined;
  return base === undefined ? word : { ...word, lower: base, lemma: base, stem: base };
}

function getLastAccount(prompt: LanguageModelV4Prompt): string | undefined {
  const calls = prompt.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
  const last = calls.findLast(({ toolName }) => toolName.includes("__"));
  return last && getService(last.toolName);
}

function asOnlyAccount(tool: LanguageModelV4FunctionTool, account: string): LanguageModelV4FunctionTool {
  const base = getBase(account);
  if (account === base) return tool;
  const { title, ...kay } = tool.providerOptions?.kay ?? {};
  const plain = typeof title === "string" ? title.replace(/ \([^()]*\)$/, "") : base;
  return {
    ...tool,
    name: `${base}${tool.name.slice(account.length)}`,
    providerOptions: { kay: { ...kay, title: plain } },
  };
}

function formatAccounts(base: string, names: string[]): string {
  return `There are several accounts of ${base}: ${names.join(", ")}. Name one of them in the request.`;
}
