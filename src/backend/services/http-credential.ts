import type { Credential } from "#connectors/service";

/** The header that carries a token or secret: a bearer token (RFC 6750) unless the service is described otherwise. */
export function toAuthHeaders(credential: Credential | undefined, secret: string): Record<string, string> {
  if (credential === undefined) return { authorization: `Bearer ${secret}` };
  if (credential.kind === "header") return { [credential.name]: `${credential.prefix}${secret}` };
  // RFC 7617, with UTF-8.
  if (credential.kind === "basic") return { authorization: `Basic ${Buffer.from(secret, "utf8").toString("base64")}` };
  return {};
}

/** The address of a request, with the secret where the service takes it nowhere else. It is used for this and never told or logged. */
export function addCredentialToUrl(url: URL, credential: Credential | undefined, secret: string): string {
  if (credential?.kind !== "query") return url.href;
  const whole = new URL(url);
  whole.searchParams.set(credential.name, secret);
  return whole.href;
}
