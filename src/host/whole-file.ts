import { open, rename } from "node:fs/promises";

/**
 * Write a file so that readers see the old one, none, or the whole new one; readable by this user alone.
 *
 * @param writer who writes it, where several processes may at the same time
 */
export async function writeWholeFile(path: string, text: string, writer?: number): Promise<void> {
  const temporary = writer === undefined ? `${path}.tmp` : `${path}.${writer}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
