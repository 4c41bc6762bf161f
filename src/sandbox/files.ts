import { hash } from "node:crypto";
import type { Hono } from "hono";
import * as z from "zod/mini";
import type { SandboxEnv } from "./provider.ts";

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
  return { id, filename, mimeType, size: bytes.byteLength, sha256: hash("sha256", bytes, "hex") };
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

const COLOURS = ["#0b5fd6", "#0a7a52", "#a8431b", "#7a3ea8", "#8a6100", "#b0275d"];

/** Returns the address of a picture at the requested origin. */
export function getAvatarUrl(request: Request, name: string): string {
  return `${new URL(request.url).origin}/_avatars/${encodeURIComponent(name)}.svg`;
}

/** Pictures for names: initials on a color, so that every URL in a response works. */
export function registerAvatars(app: Hono<SandboxEnv>): void {
  app.get("/_avatars/:file", (c) => {
    const name = c.req.param("file").replace(/\.svg$/, "");
    const letters = [...name.matchAll(/(?:^|[\s-])([\p{L}\p{N}])/gu)]
      .map((match) => match[1]?.toUpperCase())
      .slice(0, 2)
      .join("");
    const colour = COLOURS[[...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLOURS.length];
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><rect width="48" height="48" fill="${colour}"/><text x="24" y="31" font-family="sans-serif" font-size="20" fill="#fff" text-anchor="middle">${letters}</text></svg>`;
    return c.body(svg, 200, {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    });
  });
}
