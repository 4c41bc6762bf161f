import type { Operator } from "./parser.ts";

/** Whether two values with this difference are in the order of an operator: `<`, `<=`, `>` or `>=`. */
export function isOrdered(operator: Operator, difference: number): boolean {
  if (operator === "<") return difference < 0;
  if (operator === "<=") return difference <= 0;
  return operator === ">" ? difference > 0 : difference >= 0;
}

/** Compares numbers as numbers, times as times, and everything else as text. */
export function compareValues(a: unknown, b: unknown): number {
  const [left, right] = [getSize(a), getSize(b)];
  return left !== undefined && right !== undefined
    ? left - right
    : String(a ?? "").localeCompare(String(b ?? ""), "en");
}

function getSize(value: unknown): number | undefined {
  const text = String(value ?? "");
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : undefined;
}
