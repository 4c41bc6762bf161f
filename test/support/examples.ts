import type { Command } from "commander";
import { TOPICS } from "#cli/help/topics";
import type { Kay } from "#cli/kay";
import { completeCommandLine } from "#cli/other-words";
import { buildProgram, COMMAND_NAMES } from "#cli/program";
import { programAlone } from "./completion.ts";
import { documents } from "./documents.ts";

/** A command line in a document or a help page. */
export type Example = {
  /** Where it is shown: `docs/scripting.md`, `kay help approvals`, `kay ask --help`. */
  from: string;
  /** The arguments after `kay`. */
  words: string[];
  /** Its piped input, or the file that it reads. */
  stdin?: string;
};

/** Every example of the documents, the help topics and the pages of `--help`, each once. */
export function listExamples(): Example[] {
  const all = [
    ...documents().flatMap(({ path, text }) => listLines(path, readBlocks(text))),
    ...Object.entries(TOPICS).flatMap(([name, text]) => listLines(`kay help ${name}`, readIndented(text))),
    ...listCommands(programAlone()).flatMap((command) =>
      listLines(`${command.name} --help`, readDollars(command.help)),
    ),
  ];
  return [...new Map(all.map((example) => [formatExample(example), example])).values()];
}

/** Every command in code within a sentence. Some name only a command, so arguments may be missing. */
export function listMentions(): Example[] {
  return documents().flatMap(({ path, text }) => {
    const prose = text.replaceAll(/```[\s\S]*?```/g, "").replace(/<!-- errors -->[\s\S]*<!-- \/errors -->/, "");
    const code = [...prose.matchAll(/`(kay [^`]+)`/g)].map(([, line = ""]) => line.replaceAll(/\s+/g, " "));
    return listLines(path, code);
  });
}

export function formatExample({ words }: Example): string {
  return ["kay", ...words].join(" ");
}

function readBlocks(text: string): string[] {
  return [...text.matchAll(/```(?:sh|text|console|bash)\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
    block.split("\n"),
  );
}

function readIndented(text: string): string[] {
  const lines = [...text.matchAll(/^ {2}(kay .*)$/gm)].map(([, line = ""]) => line.replace(/, which .*/, ""));
  return lines.flatMap((line) => line.split(/, (?=kay )/));
}

function readDollars(text: string): string[] {
  return [...text.matchAll(/^ *\$ (.*)$/gm)].map(([, line = ""]) => line);
}

/** The pages of a program and of all its commands, with their names: `kay sessions export`. */
export function listCommands(program: Command, path: string[] = ["kay"]): { name: string; help: string }[] {
  let help = "";
  program.configureOutput({ writeOut: (text) => (help += text) });
  program.outputHelp();
  return [
    { name: path.join(" "), help },
    ...program.commands.flatMap((child) => listCommands(child, [...path, child.name()])),
  ];
}

function listLines(from: string, lines: string[]): Example[] {
  return lines.flatMap((line) => {
    const example = parseLine(line.replace(/^\$ /, ""));
    return example ? [{ from, ...example }] : [];
  });
}

/** Reads a line of a shell: what is before the pipe is the input, and what follows kay's own command is dropped. */
function parseLine(line: string): Omit<Example, "from"> | undefined {
  const tokens = splitWords(
    line
      .trim()
      .replace(/^source <\((.*)\).*$/, "$1")
      .replace(/^\w+=\$\((.*)\)$/, "$1"),
  );
  const start = tokens.findIndex(
    ({ word, isMark }, tokenIndex) =>
      word === "kay" && !isMark && tokens.slice(0, tokenIndex).every(isBeforeCommand(tokens, tokenIndex)),
  );
  if (start < 0) return undefined;
  const rest = tokens.slice(start + 1);
  const end = rest.findIndex(({ word, isMark }) => isMark && (word === "|" || word === ";"));
  const ownTokens = end < 0 ? rest : rest.slice(0, end);
  const input = ownTokens.findIndex(({ word, isMark }) => isMark && word === "<");
  const words = ownTokens
    .filter(({ isMark }, tokenIndex) => !isMark && !ownTokens[tokenIndex - 1]?.isMark)
    .map(({ word }) => word);
  const stdin =
    input >= 0
      ? ownTokens[input + 1]?.word
      : tokens.slice(0, start).some(({ isMark }) => isMark)
        ? getPiped(tokens, start)
        : undefined;
  return { words, ...(stdin === undefined ? {} : { stdin }) };
}

/** Only variables, or a whole command and a pipe, may precede the command. */
function isBeforeCommand(tokens: Token[], tokenIndex: number) {
  const isPiped = tokens[tokenIndex - 1]?.isMark && tokens[tokenIndex - 1]?.word === "|";
  return ({ word }: Token) => isPiped || /^[A-Z_]+=/.test(word);
}

function getPiped(tokens: Token[], start: number): string {
  const [program, ...programArgs] = tokens.slice(0, start - 1).map(({ word }) => word);
  return program === "echo" ? programArgs.join(" ") : `the output of ${program}`;
}

type Token = { word: string; isMark: boolean };

function splitWords(line: string): Token[] {
  const tokens: Token[] = [];
  for (const [match] of line.matchAll(/(?:^|\s)#.*$|[|<>;]|(?:'[^']*'|"[^"]*"|[^\s|<>;'"])+/g)) {
    if (/^\s*#/.test(match)) break;
    const isMark = /^[|<>;]$/.test(match);
    tokens.push({ isMark, word: match.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double) });
  }
  return tokens;
}

const STREAM = { write: () => {}, columns: () => 80 };
const TERMINAL = { stdout: STREAM, stderr: STREAM };

/** Parses a command line without running it. Returns what is wrong with it. */
export async function findParseFault(words: string[]): Promise<{ code: string; message: string } | undefined> {
  const kay = {
    version: "0",
    terminal: TERMINAL,
    get flags() {
      return {};
    },
    set flags(_) {},
  } as unknown as Kay;
  const program = buildProgram(kay, () => {});
  const replaceActions = (command: Command) => {
    command.action(() => {});
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    command.commands.forEach(replaceActions);
  };
  replaceActions(program);
  try {
    // The names of aliases in the documents, which the command line rewrites.
    const isAlias = ["standup", "triage"].includes(words[0] ?? "");
    const line = isAlias ? ["ask", ...words] : completeCommandLine(words, COMMAND_NAMES, true);
    await program.parseAsync(line, { from: "user" });
    return undefined;
  } catch (error) {
    const { code = "", message } = error as { code?: string; message: string };
    return code === "commander.version" || code === "commander.helpDisplayed" ? undefined : { code, message };
  }
}
