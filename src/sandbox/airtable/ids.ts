import { createHash } from "node:crypto";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** An id of a kind (`app`, `tbl`, `fld`, `rec`, `usr`), made from a name: the same for the same name every time. */
export function idOf(kind: string, name: string): string {
  return shaped(kind, createHash("sha256").update(`${kind} ${name}`).digest());
}

/** An id of a kind from random bytes. */
export function idFrom(kind: string, random: (bytes: number) => Uint8Array): string {
  return shaped(kind, random(14));
}

function shaped(kind: string, bytes: Uint8Array): string {
  return kind + [...bytes.slice(0, 14)].map((byte) => LETTERS[byte % LETTERS.length]).join("");
}
