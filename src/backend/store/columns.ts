import type { ColumnType, JSONColumnType } from "kysely";

/** Types of columns: `timestamptz` and `jsonb`, with and without null. */
export type Time = ColumnType<Date, Date, Date>;
export type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
export type Json = JSONColumnType<Record<string, unknown>>;
export type MaybeJson = ColumnType<unknown, string | null | undefined, string | null>;
