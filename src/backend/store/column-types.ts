import type { ColumnType, JSONColumnType } from "kysely";

/** Types of columns: `timestamptz` and `jsonb`, with and without null. */
export type Time = ColumnType<Date, Date, Date>;
export type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
export type Json = JSONColumnType<Record<string, unknown>>;
/** `jsonb` whose shape is known; written as the text that `jsonColumn` makes. */
export type JsonOf<T> = ColumnType<T, string, string>;
export type MaybeJsonOf<T> = ColumnType<T | null, string | null | undefined, string | null>;
export type MaybeJson = ColumnType<unknown, string | null | undefined, string | null>;

/** JSON for a `jsonb` column: Postgres takes neither NUL nor a lone surrogate, and services, models and people may send both. */
export function toJsonColumn(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === "string" ? cleanText(item) : item)) ?? "null";
}

/** The same for a `text` column. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
