/** Only https may use the prefix, which binds a cookie to its host (RFC 6265bis section 4.1.3). */
function toCookieName(publicUrl: string, name: string): string {
  return `${publicUrl.startsWith("https:") ? "__Host-" : ""}${name}`;
}

/** Formats a cookie for this backend alone, which no script can read. An age of 0 seconds deletes it. */
export function formatCookie(
  publicUrl: string,
  { name, value, sameSite, seconds }: { name: string; value: string; sameSite: "Lax" | "Strict"; seconds: number },
): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  return `${toCookieName(publicUrl, name)}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${secure}`;
}

/** Returns the value of a cookie of this backend; undefined without one, or for an empty one. */
export function findCookie(publicUrl: string, cookies: string | null | undefined, name: string): string | undefined {
  const start = `${toCookieName(publicUrl, name)}=`;
  const cookie = (cookies ?? "").split(/; */).find((part) => part.startsWith(start));
  return cookie?.slice(start.length) || undefined;
}
