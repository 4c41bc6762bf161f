import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type FileInspection, inspectFile } from "#files/inspect";
import type { StorageMode } from "./credentials.ts";
import { parseEnvelope } from "./envelope.ts";

/** The file of a profile's sign-in as it lies there; it is open where its folder is. */
export type StoreInspection = FileInspection & {
  /** How it is kept, where the file tells. */
  mode?: StorageMode;
  /** Tokens that stand in it as they are. */
  secrets: string[];
};

/** Look at the file of a profile's sign-in without any of what reading it does. */
export async function inspectStore(path: string): Promise<StoreInspection> {
  const read = (bytes: Buffer) => {
    const envelope = parseEnvelope(bytes, path);
    if (envelope === null) return null;
    const signIns = envelope.mode === "file" ? Object.values(envelope.origins) : [];
    const secrets = signIns.flatMap(({ token, refresh_token, session_id }) => [token, refresh_token, session_id]);
    return { mode: envelope.mode, secrets: secrets.filter((each) => each !== undefined) };
  };
  const nothing: Pick<StoreInspection, "mode" | "secrets"> = { secrets: [] };
  const sight = await inspectFile(path, nothing, { read, unreadable: "STORE_UNREADABLE" });
  if (sight.owner === undefined) return sight;
  const folder = await stat(dirname(path));
  return { ...sight, open: sight.open || (folder.mode & 0o077) !== 0 };
}
