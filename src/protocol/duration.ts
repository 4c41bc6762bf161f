/** Shortest and longest time that an approval may be set to wait, in seconds: ten seconds and a week. */
export const APPROVAL_LIMITS = { shortest: 10, longest: 7 * 24 * 3_600 };

/**
 * Parses `30`, `30s`, `5m`, `24h`, `7d` or `1h30m` to milliseconds; a number alone is seconds. Returns undefined for any
 * other text.
 */
export function parseDuration(text: string): number | undefined {
  const [whole, ...parts] = /^(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s?)?$/i.exec(text.trim()) ?? [];
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((each) => Number(each ?? 0));
  const ms = Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000);
  return whole && Number.isFinite(ms) ? ms : undefined;
}

/** Parses how long an approval waits to seconds; undefined for a text that is no such time. */
export function parseApprovalTimeout(text: string): number | undefined {
  const seconds = (parseDuration(text) ?? 0) / 1_000;
  const { shortest, longest } = APPROVAL_LIMITS;
  return Number.isInteger(seconds) && seconds >= shortest && seconds <= longest ? seconds : undefined;
}

/** Formats a duration with its two largest units: `2 h 30 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return words.slice(0, 2).join(" ") || `${ms} ms`;
}
