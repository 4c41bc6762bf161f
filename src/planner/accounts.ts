import type { LanguageModelV4FunctionTool, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { PREPOSITIONS, PRONOUNS } from "./grammar.ts";
import type { Language, Word } from "./language.ts";
import { getService, isServiceTool } from "./memory.ts";
import type { PlannerDecision } from "./plan.ts";

/** The tools and the language of the accounts that are chosen. */
type ChosenAccounts = {
  tools: LanguageModelV4FunctionTool[];
  language: Language;
  /** The name that a tool of a chosen account has as the only one of its service. */
  toPlainName(tool: string): string;
  /** Gives the calls to the chosen accounts. Asks which account is meant where none is chosen. */
  finish(decision: Extract<PlannerDecision, { calls: unknown }>): PlannerDecision;
};

/**
 * Chooses the account of each service that has several. The planner then works as if that account were the only one: its
 * tools have the names of the service, and the words of a request that name the account name the service.
 *
 * @param texts the request, and an open one that it answers
 */
export function chooseAccounts(
  prompt: LanguageModelV4Prompt,
  tools: LanguageModelV4FunctionTool[],
  language: Language,
  texts: string[],
): ChosenAccounts {
  const accounts = [...new Set(tools.map(({ name }) => getService(name)))];
  const several = new Set(accounts.filter((account) => account.includes(MARK)).map(getBase));
  const words = texts.flatMap((text) => language.read(text));
  const unknown = findUnknownAccount(accounts, words);
  const last = words.some(({ lower }) => PRONOUNS.has(lower)) ? getLastAccount(prompt) : undefined;
  const chosen = new Map<string, string>();
  const both = new Map<string, string[]>();
  for (const base of several) {
    const own = accounts.filter((account) => getBase(account) === base);
    const named = own.filter((account) => words.some((_, at) => isNamed(account, words, at)));
    const implied = own.length === 1 ? own : own.filter((account) => account === last);
    const [only, ...others] = named.length > 0 ? named : implied;
    if (only !== undefined && others.length === 0) chosen.set(base, only);
    if (named.length > 1) both.set(base, named.map(toName));
  }
  const names = new Map(accounts.map((account) => [toName(account), readBase(language, getBase(account))]));
  const getSource = (base: string) => chosen.get(base) ?? accounts.find((account) => getBase(account) === base);
  return {
    tools: tools.flatMap((tool) => {
      const account = getService(tool.name);
      return getSource(getBase(account)) === account ? [asOnlyAccount(tool, account)] : [];
    }),
    language: { read: (text, open) => language.read(text, open).map((word) => replaceName(word, names)) },
    // What another account found is not of this one.
    toPlainName(tool) {
      const account = getService(tool);
      return chosen.get(getBase(account)) === account ? getBase(account) + tool.slice(account.length) : tool;
    },
    finish({ calls }) {
      const bases = calls.flatMap(({ tool }) => (isServiceTool(tool) ? [getService(tool)] : []));
      if (unknown !== undefined && bases.length > 0) return { text: formatUnknown(unknown), unknown: true };
      const open = bases.find((base) => several.has(base) && !chosen.has(base));
      if (open !== undefined) {
        const own = accounts.filter((account) => getBase(account) === open).map(toName);
        const text = both.has(open) ? formatBoth(both.get(open) ?? []) : formatSeveral(open, own);
        return { text, unknown: true };
      }
      return {
        calls: calls.map((call) => {
          const base = getService(call.tool);
          return { ...call, tool: `${chosen.get(base) ?? base}${call.tool.slice(base.length)}` };
        }),
      };
    },
  };
}

/** How a wire name separates a service from its account: `jira_at_work__search`. */
const MARK = "_at_";

function getBase(service: string): string {
  const end = service.indexOf(MARK);
  return end < 0 ? service : service.slice(0, end);
}

function toName(service: string): string {
  return service.replace(MARK, "@");
}

/** An account of a service that is here, but not connected. */
function findUnknownAccount(accounts: string[], words: Word[]): string | undefined {
  const known = new Set(accounts.map(toName));
  const names = words.filter(({ kind }) => kind === "word").map(readName);
  return names.find((name) => /^[\w-]+@[\w-]+$/.test(name) && known.has(name.split("@")[0] ?? "") && !known.has(name));
}

function formatSeveral(service: string, accounts: string[]): string {
  return `There are several accounts of ${service}: ${accounts.join(", ")}. Name one of them in the request.`;
}

function formatBoth(named: string[]): string {
  return `A request is for one account of a service. Ask for ${named.join(" and for ")} in a request each.`;
}

function formatUnknown(name: string): string {
  return `There is no account ${name} here. Connect it with \`kay connect ${name.replace("@", " --as ")}\`.`;
}

/** "Jira@work" anywhere, and the account that is called as its service only where a place is said: "in jira", "jira: …". */
function isNamed(account: string, words: Word[], at: number): boolean {
  const word = words[at] as Word;
  if (word.kind !== "word" || readName(word) !== toName(account)) return false;
  const next = words[at + 1]?.text ?? "";
  return account.includes(MARK) || PREPOSITIONS.has(words[at - 1]?.lower ?? "") || next === ":" || next === ",";
}

/** A word without the mark of a mention before the name of an account: "@jira@work". */
function readName({ lower }: Word): string {
  return lower.replace(/^@(?=[^@]+@)/, "");
}

type Forms = Pick<Word, "lower" | "lemma" | "stem">;

/** The forms that the name of a service has anywhere: what is learned of its tools is the same for all accounts. */
function readBase(language: Language, base: string): Forms {
  const { lower, lemma, stem } = language.read(base).find((word) => word.lower === base) ?? {
    lower: base,
    lemma: base,
    stem: base,
  };
  return { lower, lemma, stem };
}

function replaceName(word: Word, names: Map<string, Forms>): Word {
  const name = readName(word);
  const [service = "", label] = word.kind === "word" ? name.split("@") : [];
  const base = names.get(name) ?? (label === undefined || /\./.test(label) ? undefined : names.get(service));
  return base === undefined ? word : { ...word, ...base };
}

function getLastAccount(prompt: LanguageModelV4Prompt): string | undefined {
  const calls = prompt.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
  const last = calls.findLast(({ toolName }) => isServiceTool(toolName));
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
