import { hash } from "node:crypto";

/** Derives a UUID from a name, always the same. */
export function createUuidFromName(name: string): string {
  const hex = hash("sha256", name, "hex");
  return formatUuid(hex);
}

/** A UUID from random bytes. */
export function createUuid(random: (bytes: number) => Uint8Array): string {
  return formatUuid(Buffer.from(random(16)).toString("hex"));
}

/** IDs in paths may have hyphens or not. */
export function normalizeId(text: string): string {
  const hex = text.replaceAll("-", "").toLowerCase();
  return /^[0-9a-f]{32}$/.test(hex) ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") : text;
}

function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
