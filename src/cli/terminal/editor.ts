import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitCommand } from "./browser.ts";
import { runOnTerminal } from "./run-on-terminal.ts";

/**
 * Edits a text on this terminal, in a temporary file that only this user can read.
 *
 * @param editor as in EDITOR: a program and its arguments, never through a shell
 * @returns the edited text, or null if the editor could not be started or failed
 */
export async function editInEditor(editor: string, text: string): Promise<string | null> {
  const [command = "", ...args] = splitCommand(editor);
  const folder = await mkdtemp(join(tmpdir(), "kay-edit-"));
  try {
    const file = join(folder, /^\s*[{[]/.test(text) ? "input.json" : "message.md");
    await writeFile(file, text, { mode: 0o600 });
    return (await runOnTerminal({ command, args: [...args, file] })) === 0 ? await readFile(file, "utf8") : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns an installed editor for a user who chose none, as git does. */
export function findEditor(platform: string, find: (program: string) => string | null): string | undefined {
  const usual = platform === "win32" ? ["notepad.exe"] : ["editor", "nano", "vi"];
  return usual.find((program) => find(program) !== null);
}
