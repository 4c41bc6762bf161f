export function manPages(..._: unknown[]): [string, string][] {
  return [];
}
