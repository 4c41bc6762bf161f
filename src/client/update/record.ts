import { join } from "node:path";
import * as z from "zod/mini";
import { ensureCredentialFolder, readFileIfExists, replaceFile } from "#files/replace-file";
import { fetchNewerVersion, type Manifest, type RegistryPorts, Version } from "./registry.ts";

/** What is known of newer versions (`update.json` in the state folder). Times are in ms. */
export type UpdateRecord = z.infer<typeof UpdateRecord>;

const UpdateRecord = z.object({
  /** When the registry was last asked, answered or not. */
  looked: z.number(),
  /** The version that asked. */
  running: z.string(),
  newer: z.nullable(Version),
  /** When the person was last told. */
  told: z.optional(z.number()),
});

/** The record; null where there is none that can be used. */
export async function readUpdateRecord(folder: string): Promise<UpdateRecord | null> {
  try {
    return UpdateRecord.parse(JSON.parse(String(readFileIfExists(join(folder, NAME)))));
  } catch {
    return null;
  }
}

/** @throws Problem STORE_UNREADABLE where it cannot be written */
export async function writeUpdateRecord(folder: string, record: UpdateRecord, unique: string): Promise<void> {
  await ensureCredentialFolder(folder);
  await replaceFile(join(folder, NAME), JSON.stringify(record), unique);
}

const NAME = "update.json";

/** Ask the registry and put what it says into the record, which whoever asks for the look has written before. */
export async function refreshUpdateRecord(
  running: Manifest,
  ports: RegistryPorts & { folder: string; unique: string },
): Promise<void> {
  const newer = await fetchNewerVersion(running, ports);
  const record = await readUpdateRecord(ports.folder);
  if (record) await writeUpdateRecord(ports.folder, { ...record, newer }, ports.unique);
}
