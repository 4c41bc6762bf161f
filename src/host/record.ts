import { readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { makePrivateFolders } from "#files/folders";
import { EmbeddedRecord } from "#protocol/embedded-record";
import { parseShape } from "#protocol/parse";
import { writeWholeFile } from "./whole-file.ts";

/** Write the record of this process, whole; others may be writing theirs. */
export async function writeRecord(path: string, record: EmbeddedRecord): Promise<void> {
  makePrivateFolders(dirname(path));
  await writeWholeFile(path, `${JSON.stringify(record)}\n`, record.pid);
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
