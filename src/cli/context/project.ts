import { hash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type ContextFile, readContextFile, readContextFolder } from "./files.ts";

/** Name of the file with standing instructions. */
export const INSTRUCTIONS_FILE = "KAY.md";

/** Folder of a project's aliases, below the project's folder. */
const PROJECT_ALIASES = join(".kay", "commands");

/** Instructions of a project. They come with the project, so they apply only once the user trusts them. */
export type Project = {
  /** Real path of the folder with `KAY.md` or `.kay/commands`. */
  folder: string;
  instructions?: ContextFile;
  aliases: ContextFile[];
  /** Digest of all used text, to detect changes. */
  hash: string;
  /** Sentences about unused files. */
  faults: string[];
};

/** Maximum number of folders between the current one and the root of its repository. */
const MAX_DEPTH = 64;

/**
 * Finds the project of a folder: the nearest folder with `KAY.md` or `.kay/commands`, up to the root of the repository.
 * Outside a repository, only the folder itself counts.
 *
 * @param personalFolder folder of the user's files, which is not a project
 */
export function findProject(cwd: string, personalFolder: string): Project | undefined {
  const personal = toRealPath(personalFolder);
  for (const folder of listFolders(toRealPath(cwd))) {
    if (folder === personal) continue;
    const project = readProject(folder);
    if (project) return project;
  }
  return undefined;
}

function readProject(folder: string): Project | undefined {
  const contextFile = readContextFile(join(folder, INSTRUCTIONS_FILE), folder);
  const contexts = readContextFolder(join(folder, PROJECT_ALIASES), folder);
  const faults = [contextFile, ...contexts].flatMap(({ fault }) => fault ?? []);
  const aliases = contexts.flatMap(({ file }) => file ?? []);
  if (!contextFile.file && aliases.length === 0 && faults.length === 0) return undefined;
  const texts = [contextFile.file, ...aliases].flatMap((file) => (file ? [[basename(file.path), file.text]] : []));
  const instructions = contextFile.file ? { instructions: contextFile.file } : {};
  return { folder, ...instructions, aliases, hash: hash("sha256", JSON.stringify(texts), "hex"), faults };
}

/** Lists the folders from this one up to the root of its repository. */
function listFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; folders.length < MAX_DEPTH; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, ".git"))) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
