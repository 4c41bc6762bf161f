import { findClosestName } from "#protocol/closest-name";
import type { Kay } from "./kay.ts";

/** Global options that take the next word as their value. */
const VALUED = new Set(["--profile", "--jq", "--timeout", "--color"]);

/**
 * Rewrites a command line without a command: `kay login`, `kay version`, a question without `ask`, and `kay` alone on a
 * terminal, which opens a session.
 *
 * @param names every command
 * @param canOpenSession whether a session is possible here
 */
export function completeCommandLine(argv: string[], names: readonly string[], canOpenSession: boolean): string[] {
  const index = findFirstWord(argv);
  const word = argv[index];
  if (word === undefined) return canOpenSession && !argv.some(isAnswered) ? ["ask", ...argv] : argv;
  if (word === "login") return argv.with(index, "connect");
  if (word === "version" && argv.slice(index + 1).every((word) => word.startsWith("-")))
    return argv.with(index, "--version");
  return isQuestion(word, names) ? ["ask", ...argv] : argv;
}

/**
 * Rewrites a command line whose first word is an alias: `kay standup KAY` is `kay ask /standup KAY`. Commands take
 * precedence over aliases.
 */
export async function completeAlias(kay: Kay, argv: string[], names: readonly string[]): Promise<string[]> {
  const index = findFirstWord(argv);
  const word = argv[index] ?? "";
  if (names.includes(word) || !/^[a-z][a-z0-9-]*$/.test(word)) return argv;
  const { hasAlias } = await import("./context/aliases.ts");
  return (await hasAlias(kay, word)) ? ["ask", ...argv.with(index, `/${word}`)] : argv;
}

/** Hints for words that other programs use and that have another name in kay. */
export const OTHER_WORDS: Readonly<Record<string, string>> = {
  ...mapWords(
    ["auth", "authenticate", "signin", "sign-in", "signup", "account", "accounts"],
    "Run `kay connect` to sign in, `kay connections` to see your accounts, or `kay logout` to sign out.",
  ),
  ...mapWords(["signout", "sign-out", "logoff"], "Run `kay logout`."),
  ...mapWords(
    ["init", "setup", "install", "onboard"],
    "Run `kay connect` to connect a service, or `kay try` for a tour.",
  ),
  ...mapWords(["tour", "demo", "tutorial"], "Run `kay try`."),
  ...mapWords(
    ["chat", "repl", "shell", "prompt", "run", "exec"],
    "Run `kay ask` to start a session or ask a question.",
  ),
  ...mapWords(["resume", "continue"], "Run `kay ask --continue`, or `kay ask --resume <conversation>`."),
  ...mapWords(["history", "conversations"], "Run `kay sessions list`."),
  ...mapWords(["logs", "debug"], "Run `kay doctor` to check your setup, or `kay log` for what kay changed."),
  ...mapWords(["audit", "receipts", "effects"], "Run `kay log`."),
  ...mapWords(["browse"], "Run `kay open <object>`."),
  ...mapWords(["set", "settings", "configure"], "Run `kay config list`, or `kay config set <key> <value>`."),
  ...mapWords(["use", "switch"], "Run `kay config set model <provider>:<model>` to choose a model."),
  ...mapWords(["update", "upgrade"], "Install the newest release the way you installed this one."),
};

function mapWords(words: string[], hint: string): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, hint]));
}

function findFirstWord(argv: string[]): number {
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (VALUED.has(word)) index += 1;
    else if (!/^-\S*$/.test(word)) return index;
  }
  return -1;
}

/** Whether the word is a text of several words and not a misspelled command. */
function isQuestion(word: string, names: readonly string[]): boolean {
  return /\S\s+\S/.test(word) && findClosestName(word, names) === undefined;
}

/** Whether the option prints its own answer. */
function isAnswered(word: string): boolean {
  return ["-h", "--help", "-V", "--version"].includes(word);
}
