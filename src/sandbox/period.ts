const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses a period such as "-3d", "4w 2d" or "+1h" to milliseconds; undefined if it is not one. */
export function parsePeriod(text: string): number | undefined {
  const match = /^([+-]?)\s*((?:\d+\s*[mhdw]\s*)+)$/.exec(text.trim());
  if (!match) return undefined;
  const parts = [...(match[2] ?? "").matchAll(/(\d+)\s*([mhdw])/g)];
  const length = parts.reduce((sum, part) => sum + Number(part[1]) * UNITS[part[2] as keyof typeof UNITS], 0);
  return match[1] === "-" ? -length : length;
}
