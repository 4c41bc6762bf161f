import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Where the databases of tests lie: in memory, where there is room. They are made and dropped there in a tenth of the time. */
export async function fastFolder(): Promise<string> {
  const memory = await statfs("/dev/shm").catch(() => undefined);
  return memory !== undefined && memory.bavail * memory.bsize > 1_000_000_000 ? "/dev/shm" : tmpdir();
}
