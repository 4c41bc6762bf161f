import { dirname, join } from "node:path";
import { ensurePrivateFolder, getErrno, unusableProblem } from "#files/folders";
import { type Lock, withLock } from "#files/lock";
import type { Processes } from "#files/processes";
import { readFileIfExists, removeFile, replaceFile } from "#files/replace-file";
import type { Timer } from "#net/ports";
import { Problem } from "#protocol/errors";
import { appendEntry, MAX_ENTRIES, shouldRemember } from "#ui/editor/history";

/** Prompts sent in the sessions of one profile, stored for later ones. */
export type HistoryFile = {
  /** Oldest first, at most 1,000. Empty without a readable file. */
  read(): Promise<string[]>;
  /** Adds a sent prompt, unless it begins with a space or is very long. @throws Problem STORE_UNREADABLE, STORE_BUSY */
  add(text: string): Promise<void>;
  /** Deletes the history. @throws Problem STORE_UNREADABLE */
  remove(): Promise<void>;
};

/** `folder` returns kay's state folder on first use. */
export type HistoryOptions = {
  folder: () => string;
  profile: string;
  clock: Timer;
  processes: Processes;
  random: (bytes: number) => Uint8Array;
};

/**
 * Creates the history in `<state>/history/<profile>.jsonl`, private to the user, one JSON string per line. It is read,
 * extended and replaced under a lock, so that parallel sessions lose nothing. Damaged lines are skipped.
 */
export function createHistoryFile(options: HistoryOptions): HistoryFile {
  const getPath = () => join(options.folder(), "history", `${options.profile}.jsonl`);
  return {
    async read() {
      return readEntries(getPath()).catch(() => []);
    },
    async add(text) {
      if (!shouldRemember(text)) return;
      const path = getPath();
      ensurePrivateFolder(dirname(path), VARIABLE);
      await withLock(getLock(path, options), () => addEntry(path, text, createUniqueName(options))).catch((error) => {
        const isBusy = error instanceof Problem && error.code === "STORE_BUSY";
        throw isBusy
          ? error
          : unusableProblem(path, getErrno(error instanceof Problem ? error.cause : error), VARIABLE, error);
      });
    },
    remove: () => removeFile(getPath()),
  };
}

/** Variable that moves the state folder. */
const VARIABLE = "XDG_STATE_HOME";

async function addEntry(path: string, text: string, name: string): Promise<void> {
  const entries = await readEntries(path);
  const now = appendEntry(entries, text);
  if (now === entries) return;
  await replaceFile(path, now.map((entry) => `${JSON.stringify(entry)}\n`).join(""), name);
}

async function readEntries(path: string): Promise<string[]> {
  const text = (await readFileIfExists(path))?.toString("utf8") ?? "";
  return text.split("\n").flatMap(getEntry).slice(-MAX_ENTRIES);
}

function getEntry(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" && shouldRemember(entry) ? [entry] : [];
  } catch {
    return [];
  }
}

function getLock(path: string, options: HistoryOptions): Lock {
  const { clock, processes } = options;
  return { path: path.replace(/jsonl$/, "lock"), clock, processes, unique: () => createUniqueName(options) };
}

function createUniqueName({ random }: HistoryOptions): string {
  return Buffer.from(random(8)).toString("hex");
}
