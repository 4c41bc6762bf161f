import { createHash } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id of a kind (`app`, `tbl`, `fld`, `rec`, `usr`), made from a name: the same for the same name every time. */
export function createIdFromName(kind: string, name: string): string {
  return shape(kind, createHash("sha256").update(`${kind} ${name}`).digest());
}

/** An id of a kind from random bytes. */
export function createRandomId(kind: string, random: (bytes: number) => Uint8Array): string {
  return shape(kind, random(14));
}

function shape(kind: string, bytes: Uint8Array): string {
  return kind + [...bytes.slice(0, 14)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
}
