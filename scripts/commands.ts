import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildCompletionTable } from "#cli/completion/describe";
import type { CompletionValue } from "#cli/completion/table";
import { buildHelpTable } from "#cli/help/pages";
import { TOPICS } from "#cli/help/topics";
import type { Kay } from "#cli/kay";
import { buildProgram } from "#cli/program";
import { configureServices } from "#connectors/catalogue";
import { KNOWN_SERVICES } from "#protocol/known-services";
import { manPages } from "./man.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Writes the files generated from the tree of commands into a folder: `completion.json`, `help.json`, and the pages of
 * `man/man1`.
 */
export function writeCommandFiles(folder: string): void {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { version: string };
  const program = createProgram(version);
  writeFileSync(`${folder}/completion.json`, `${JSON.stringify(buildCompletionTable(program, listBuiltIns()))}\n`);
  writeFileSync(
    `${folder}/help.json`,
    `${JSON.stringify(buildHelpTable(createProgram(version), Object.keys(TOPICS)))}\n`,
  );
  mkdirSync(`${folder}/man/man1`, { recursive: true });
  for (const [name, text] of manPages(createProgram(version), version))
    writeFileSync(`${folder}/man/man1/${name}`, text);
}

/** The tree of commands alone; nothing runs, so it needs only a width. */
function createProgram(version: string) {
  const stream = { write: () => {}, columns: () => 80 };
  return buildProgram({ version, terminal: { stdout: stream, stderr: stream } } as unknown as Kay, () => {});
}

function listBuiltIns() {
  const services = configureServices({ clients: {} }).map(({ service }) => service);
  return {
    services: services.map(({ name, title }): CompletionValue => [name, title]),
    tools: services.flatMap(({ tools }) => tools.map(({ name, description }): CompletionValue => [name, description])),
    connectable: KNOWN_SERVICES.map(({ name, title, purpose }): CompletionValue => [name, `${title}: ${purpose}`]),
  };
}
