import { dirname, join } from "node:path";
import { ensurePrivateFolder } from "#files/folders";
import { readFileIfExists, replaceFile } from "#files/replace-file";
import type { Project } from "./project.ts";

/** The user's decision about the text of one project folder. */
type Decision = { hash: string; use: boolean };

/** `changed`: the decision was about an earlier text. `unknown`: never asked. */
export type Trust = "trusted" | "refused" | "changed" | "unknown";

/** The decisions of the user about projects, stored on this machine for all profiles. */
export type TrustFile = {
  read(project: Project): Trust;
  /** @throws Problem STORE_UNREADABLE, STORE_BUSY */
  decide(project: Project, use: boolean): Promise<void>;
};

export type TrustFileOptions = {
  /** kay's state folder. */
  folder: () => string;
  /** Runs work while no other process of this machine does so with this lock file. */
  exclusively<T>(lock: string, work: () => Promise<T>): Promise<T>;
  random(bytes: number): Uint8Array;
};

/** Maximum number of stored decisions. The oldest are removed first. */
const MAX_FOLDERS = 1_000;

/** Creates the store in `<state>/trusted-projects.json`. A damaged file counts as empty, so kay asks again. */
export function createTrustFile({ folder, exclusively, random }: TrustFileOptions): TrustFile {
  const getPath = () => join(folder(), "trusted-projects.json");
  return {
    read({ folder: project, hash }) {
      const decision = readDecisions(getPath()).get(project);
      if (decision === undefined) return "unknown";
      if (decision.hash !== hash) return "changed";
      return decision.use ? "trusted" : "refused";
    },
    async decide({ folder: project, hash }, use) {
      const path = getPath();
      ensurePrivateFolder(dirname(path), "XDG_STATE_HOME");
      await exclusively(`${path}.lock`, async () => {
        const decisions = readDecisions(path);
        decisions.delete(project);
        decisions.set(project, { hash, use });
        const entries = Object.fromEntries([...decisions].slice(-MAX_FOLDERS));
        await replaceFile(path, `${JSON.stringify(entries, null, 2)}\n`, Buffer.from(random(8)).toString("hex"));
      });
    },
  };
}

function readDecisions(path: string): Map<string, Decision> {
  try {
    const stored: unknown = JSON.parse(readFileIfExists(path)?.toString("utf8") ?? "{}");
    return new Map(Object.entries(Object(stored)).filter((entry): entry is [string, Decision] => isDecision(entry[1])));
  } catch (error) {
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

function isDecision(value: unknown): value is Decision {
  const { hash, use } = Object(value) as Partial<Decision>;
  return typeof hash === "string" && typeof use === "boolean";
}
