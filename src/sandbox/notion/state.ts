import type { PropertyType } from "./seed.ts";

/**
 * The world of the Notion stand-in: a seed with everything filled in. People and pages are ids, times are ISO 8601 in
 * UTC.
 */
export type NotionState = {
  workspace: { id: string; name: string };
  users: User[];
  pages: Page[];
  databases: Database[];
};

export type User = { id: string; name: string; email: string };

/** Common fields of pages and rows. */
export type Entry = {
  id: string;
  blocks: Block[];
  comments: Comment[];
  created_by: string;
  last_edited_by: string;
  created_time: string;
  last_edited_time: string;
  in_trash: boolean;
};

/** A page outside databases; without a parent, it is at the top of the workspace. */
export type Page = Entry & { title: string; parent: string | null };

/** A row of a database: a page with properties. */
export type Row = Entry & { properties: Record<string, Cell> };

/**
 * Text, number, checkbox, option, day ("2026-12-24" or "2026-12-24/2026-12-26"), or a list of options or user ids; null
 * is empty.
 */
export type Cell = string | number | boolean | string[] | null;

export type Property = { type: PropertyType; options: string[] };

/** A database with its one table. */
export type Database = {
  id: string;
  data_source_id: string;
  title: string;
  parent: string | null;
  properties: Record<string, Property>;
  rows: Row[];
  created_time: string;
  last_edited_time: string;
};

/** A block; in responses, `value` is under the name of its type. */
export type Block = {
  id: string;
  type: string;
  value: Record<string, unknown>;
  children: Block[];
  created_time: string;
};

export type Comment = { id: string; author: string; text: string; created_time: string };
