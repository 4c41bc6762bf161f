import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { EmbeddedRecord } from "#protocol/embedded-record";
import { parseShape } from "#protocol/parse";

/** Write the record so that readers see the old one, none, or the whole new one; readable by this user alone. */
export async function writeRecord(path: string, record: EmbeddedRecord): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${record.pid}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(record)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}

/** Remove the record if it is still the one of this process; another backend may have taken over. */
export async function removeRecord(path: string, pid: number): Promise<void> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return;
  try {
    if (parseShape(EmbeddedRecord, JSON.parse(text), "the record").pid !== pid) return;
  } catch {
    // A record that cannot be read helps nobody.
  }
  await rm(path, { force: true });
}
