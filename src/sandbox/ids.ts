import { hash } from "node:crypto";

/** Derives a UUID from a name, always the same. */
export function createUuidFromName(name: string): string {
  return formatUuid(hash("sha256", name, "hex"));
}

/** Formats hex digits as a UUID of version 4. */
export function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** Spells bytes with the letters of an alphabet. */
export function spellBytes(bytes: Uint8Array, alphabet: string): string {
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join("");
}
