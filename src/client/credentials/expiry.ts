import { jwtDecode } from "jwt-decode";

/** Times in an access token, in ms since 1970 by the server's clock. */
export type TokenTimes = { expires?: number; issued?: number };

/** Reads `exp` and `iat` of a JWT (RFC 7519). Opaque tokens have none and are used until they are rejected. */
export function readTokenTimes(token: string): TokenTimes {
  try {
    const { exp, iat } = jwtDecode(token);
    return { expires: toMilliseconds(exp), issued: toMilliseconds(iat) };
  } catch {
    return {};
  }
}

/**
 * Describes how far off this machine's clock is, or returns null below five minutes. `offset` is the server's time
 * minus this machine's, in ms.
 */
export function describeClockSkew(offset: number): string | null {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  if (minutes < 5) return null;
  const amount =
    minutes < 90
      ? `${minutes} min`
      : minutes < 48 * 60
        ? `${roundToHalf(minutes / 60)} h`
        : `${roundToHalf(minutes / 1440)} days`;
  const direction = offset < 0 ? "ahead of" : "behind";
  return `This machine's clock is about ${amount} ${direction} the backend's. Set it correctly to avoid problems with sign-in and expiry.`;
}

function toMilliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function roundToHalf(value: number): number {
  return Math.round(value * 2) / 2;
}
