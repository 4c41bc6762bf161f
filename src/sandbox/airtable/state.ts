import { hash } from "node:crypto";
import { spellBytes } from "../ids.ts";
import type { FieldType } from "./seed.ts";

/**
 * The world of the Airtable stand-in: a seed with everything filled in. Ids are as Airtable's (`app…`, `tbl…`, `fld…`,
 * `rec…`, `usr…`).
 */
export type AirtableState = { accounts: Account[]; bases: Base[] };

export type Account = { id: string; name: string; email: string };

type PermissionLevel = "none" | "read" | "comment" | "edit" | "create";

export type Base = {
  id: string;
  name: string;
  permissionLevel: PermissionLevel;
  /** IDs of the accounts that may open it; all if empty. */
  members: string[];
  tables: Table[];
};

export type Table = { id: string; name: string; description: string; fields: Field[]; records: AirtableRecord[] };

/** The first field of a table is its primary one. */
export type Field = { id: string; name: string; type: FieldType; choices: string[]; linkedTableId: string | null };

/** A record; cells by the names of fields, people and linked records as ids, empty ones left out. */
export type AirtableRecord = { id: string; createdTime: string; fields: Record<string, Cell> };

export type Cell = string | number | boolean | string[];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Derives an ID of a kind (`app`, `tbl`, `fld`, `rec`, `usr`) from a name, always the same for the same name. */
export function createIdFromName(kind: string, name: string): string {
  return formatId(kind, hash("sha256", `${kind} ${name}`, "buffer"));
}

/** Creates an ID of a kind from random bytes. */
export function createRandomId(kind: string, random: (bytes: number) => Uint8Array): string {
  return formatId(kind, random(14));
}

function formatId(kind: string, bytes: Uint8Array): string {
  return kind + spellBytes(bytes.slice(0, 14), LETTERS);
}
