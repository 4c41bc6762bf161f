import { buildCompletionTable } from "#cli/completion/describe";
import { suggestCompletions, type ValueLookup } from "#cli/completion/suggest";
import type { CompletionTable, CompletionValue } from "#cli/completion/table";
import type { Kay } from "#cli/kay";
import { buildProgram } from "#cli/program";

/** The tree of commands alone; nothing runs. */
export function programAlone() {
  const stream = { write: () => {}, columns: () => 80 };
  return buildProgram(
    { version: "0.0.0-test", terminal: { stdout: stream, stderr: stream } } as unknown as Kay,
    () => {},
  );
}

/** The table of this kay, with a few services and tools. */
function completionTable(): CompletionTable {
  return buildCompletionTable(programAlone(), {
    services: [
      ["jira", "Jira"],
      ["slack", "Slack"],
      ["gmail", "Gmail"],
    ],
    tools: [
      ["jira.search", "Find issues"],
      ["slack.send_message", "Send a message"],
    ],
    connectable: [["linear", "Linear: issues and projects"]],
  });
}

/** Completions at the end of a line, without descriptions. */
export function listCompletions(line: string, values: Record<string, CompletionValue[]> = {}): string[] {
  return offer(line, values).values.map(([value]) => value);
}

/** Returns the completions at the end of a line, with their descriptions. */
export function offer(line: string, values: Record<string, CompletionValue[]> = {}) {
  const look: ValueLookup = {
    listKnown: (kind) => values[kind] ?? null,
    profiles: () => [
      ["default", ""],
      ["work", ""],
    ],
    aliases: () => values.aliases ?? [],
  };
  const [, ...words] = line.split(" ");
  return suggestCompletions(completionTable(), words, look);
}
