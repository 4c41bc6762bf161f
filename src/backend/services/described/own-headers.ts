/** Headers that belong to HTTP, to the sign-in, or to kay. */
export function isReservedHeader(name: string): boolean {
  return /^(authorization|cookie|host|origin|referer|content-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*|sec-.*|forwarded|x-forwarded-.*|idempotency-key|kay-.*)$/i.test(
    name,
  );
}
