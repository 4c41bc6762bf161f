import type { ColumnType, JSONColumnType } from "kysely";

/** Types of columns: `timestamptz` and `jsonb`, with and without null. */
export type Time = ColumnType<Date, Date, Date>;
export type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
export type Json = JSONColumnType<Record<string, unknown>>;
/** `jsonb` of a known shape, written as the text that `toJsonColumn` returns. */
export type JsonOf<T> = ColumnType<T, string, string>;
export type MaybeJsonOf<T> = ColumnType<T | null, string | null | undefined, string | null>;
export type MaybeJson = ColumnType<unknown, string | null | undefined, string | null>;

/**
 * Returns JSON for a `jsonb` column. Postgres accepts neither NUL nor a lone surrogate, and services, models and users
 * may send both.
 */
export function toJsonColumn(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === "string" ? cleanText(item) : item)) ?? "null";
}

/** Cleans text for a `text` column, which accepts neither NUL nor a lone surrogate. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}
