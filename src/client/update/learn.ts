import { readUpdateRecord, writeUpdateRecord } from "./record.ts";
import { fetchNewerVersion, type Manifest, type RegistryPorts } from "./registry.ts";

/** Ask the registry and put what it says into the record, which whoever asks for the look has written before. */
export async function refreshUpdateRecord(
  running: Manifest,
  ports: RegistryPorts & { folder: string; unique: string },
): Promise<void> {
  const newer = await fetchNewerVersion(running, ports);
  const record = await readUpdateRecord(ports.folder);
  if (record) await writeUpdateRecord(ports.folder, { ...record, newer }, ports.unique);
}
