import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { splitCommand } from "./browser.ts";

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
    return (await runs(command, [...args, file])) ? await readFile(file, "utf8") : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runs(command: string, args: string[]): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const child = spawn(command, args, { stdio: "inherit" });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  }).catch(() => false);
}
