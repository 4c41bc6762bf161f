import { join } from "node:path";
import * as z from "zod/mini";
import { ensureCredentialFolder } from "#files/credential-folder";
import { readFileIfExists, replaceFile } from "#files/replace-file";
import { fetchNewerVersion, type Manifest, type RegistryPorts, Version } from "./registry.ts";

/** Known newer versions (`update.json` in the state folder). Times are in ms since 1970. */
export type UpdateRecord = z.infer<typeof UpdateRecord>;

const UpdateRecord = z.object({
  /** When the registry was last queried, successfully or not. */
  looked: z.number(),
  /** The version that queried it. */
  running: z.string(),
  newer: z.nullable(Version),
  /** When the user was last notified. */
  told: z.optional(z.number()),
});

/** Reads the record; null if it is missing or invalid. */
export async function readUpdateRecord(folder: string): Promise<UpdateRecord | null> {
  try {
    return UpdateRecord.parse(JSON.parse(String(readFileIfExists(join(folder, NAME)))));
  } catch {
    return null;
  }
}

/** Writes the record. @throws Problem STORE_UNREADABLE when that fails */
export async function writeUpdateRecord(folder: string, record: UpdateRecord, unique: string): Promise<void> {
  await ensureCredentialFolder(folder);
  await replaceFile(join(folder, NAME), JSON.stringify(record), unique);
}

const NAME = "update.json";

/** Queries the registry and updates the record, which the caller has written before. */
export async function refreshUpdateRecord(
  running: Manifest,
  ports: RegistryPorts & { folder: string; unique: string },
): Promise<void> {
  const newer = await fetchNewerVersion(running, ports);
  const record = await readUpdateRecord(ports.folder);
  if (record) await writeUpdateRecord(ports.folder, { ...record, newer }, ports.unique);
}
