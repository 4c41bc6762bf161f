import { type LookPorts, type Manifest, newerVersion } from "./look.ts";
import { readUpdateRecord, writeUpdateRecord } from "./record.ts";

/** Ask the registry and put what it says into the record, which whoever asks for the look has written before. */
export async function learnOfUpdate(
  running: Manifest,
  ports: LookPorts & { folder: string; unique: string },
): Promise<void> {
  const newer = await newerVersion(running, ports);
  const record = await readUpdateRecord(ports.folder);
  if (record) await writeUpdateRecord(ports.folder, { ...record, newer }, ports.unique);
}
