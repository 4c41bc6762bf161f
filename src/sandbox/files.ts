import { createHash } from "node:crypto";
import * as z from "zod/mini";

/** A file that a stand-in received. Only the SHA-256 of its bytes is stored. */
export const SandboxFile = z.strictObject({
  id: z.string(),
  filename: z.string(),
  mimeType: z.string(),
  size: z.number(),
  sha256: z.string(),
});
export type SandboxFile = z.infer<typeof SandboxFile>;

/** Describes the bytes of a file. */
export function describeFile(id: string, filename: string, mimeType: string, bytes: Uint8Array): SandboxFile {
  return { id, filename, mimeType, size: bytes.byteLength, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** Reads the files of a form (RFC 7578) in the field `name`, or in any field. */
export async function readFormFiles(
  request: Request,
  name?: string,
): Promise<{ filename: string; mimeType: string; bytes: Uint8Array }[]> {
  const form = await request.formData().catch(() => new FormData());
  const values = name === undefined ? [...form.values()] : form.getAll(name);
  const files = values.filter((value): value is File => typeof value !== "string");
  return await Promise.all(
    files.map(async (file) => ({
      filename: file.name,
      mimeType: file.type || "application/octet-stream",
      bytes: new Uint8Array(await file.arrayBuffer()),
    })),
  );
}
