import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Problem } from "#protocol/errors";
import type { StorageMode } from "./credentials.ts";
import { readEnvelope } from "./envelope.ts";

/** The file of a profile's sign-in as it lies there. Nothing is opened, mended or moved by looking. */
export type StoreSight = {
  path: string;
  state: "absent" | "fine" | "damaged" | "foreign" | "unreadable";
  problem?: Problem;
  /** How it is kept, where the file tells. */
  mode?: StorageMode;
  /** Others may read or write the file or its folder. */
  open: boolean;
  /** Number of the user whom it belongs to. */
  owner?: number;
  /** Tokens that stand in it as they are. */
  secrets: string[];
};

/** Look at the file of a profile's sign-in without any of what reading it does. */
export async function inspectStore(path: string): Promise<StoreSight> {
  const nothing = { path, open: false, secrets: [] };
  try {
    const [bytes, file, folder] = await Promise.all([readFile(path), stat(path), stat(dirname(path))]);
    const about = { ...nothing, open: ((file.mode | folder.mode) & 0o077) !== 0, owner: file.uid };
    try {
      const envelope = readEnvelope(bytes, path);
      if (envelope === null) return { ...about, state: "damaged" };
      const signIns = envelope.mode === "file" ? Object.values(envelope.origins) : [];
      const secrets = signIns.flatMap(({ token, refresh_token, session_id }) => [token, refresh_token, session_id]);
      return { ...about, state: "fine", mode: envelope.mode, secrets: secrets.filter((each) => each !== undefined) };
    } catch (error) {
      if (error instanceof Problem) return { ...about, state: "foreign", problem: error };
      throw error;
    }
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code;
    if (errno === undefined) throw error;
    if (errno === "ENOENT") return { ...nothing, state: "absent" };
    return {
      ...nothing,
      state: "unreadable",
      problem: new Problem("STORE_UNREADABLE", `${path} cannot be read (${errno}).`),
    };
  }
}
