import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import type { SandboxProvider } from "#connectors/catalogue";
import { Problem } from "#protocol/errors";
import { writeWholeFile } from "./whole-file.ts";

const Providers = z.record(
  z.string(),
  z.object({ origin: z.url(), client: z.object({ id: z.string(), secret: z.string() }) }),
);

/**
 * Write down where a sandbox is and which clients are registered there, for nodes that share it.
 *
 * @returns the file, which nobody else may read
 */
export async function publishSandbox(folder: string, providers: Record<string, SandboxProvider>): Promise<string> {
  const file = join(folder, "sandbox-clients.json");
  await writeWholeFile(file, JSON.stringify(providers));
  return file;
}

/**
 * The sandbox that another process runs (`kay serve --sandbox-only`), by the file that it wrote.
 *
 * @throws Problem STORE_UNREADABLE
 */
export async function readSharedSandbox(file: string): Promise<Record<string, SandboxProvider>> {
  try {
    return Providers.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    throw new Problem("STORE_UNREADABLE", `KAY_SANDBOX names no file of a sandbox: ${file}.`, {
      hint: "Run `kay serve --sandbox-only`, which says where its file is.",
      cause,
    });
  }
}
