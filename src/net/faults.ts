import { Problem } from "#protocol/errors";
import { isLoopbackHost, isLoopbackName } from "./addresses.ts";
import type { Exchange, LoadBuiltin, MissingNetwork } from "./transport.ts";

/**
 * How this side ended the exchange: cancelled by the caller, or after a time in ms without an answer. Null if it did
 * not.
 */
export type EndReason = "abort" | { afterMs: number } | null;

/**
 * Describes a network fault in one sentence with the system's code and the host, but without the library's own text.
 * `details.sent` says whether the request may have arrived. Bugs are returned unchanged.
 */
export function toSendProblem(error: unknown, exchange: Exchange, endReason: EndReason): Error {
  if (error instanceof Problem) return error;
  const { url, sent } = exchange;
  const code = getErrorCode(error);
  if (!endReason && isBug(error, code)) return error instanceof Error ? error : new Error(String(error));
  const options = { details: { sent, ...(code ? { errno: code } : {}) }, cause: error };
  if (endReason === "abort") return new Problem("CANCELLED", "Canceled.", { details: { sent } });
  if (endReason) return timedOutProblem(exchange, endReason.afterMs);
  if (isTlsCode(code, error)) {
    return new Problem(
      "TLS_FAILED",
      `The TLS connection to ${url.host} is not trusted: ${describeTlsError(code)} (${code}).`,
      {
        ...options,
        hint: getTlsHint(code, exchange),
      },
    );
  }
  const proxyStatus = exchange.proxy && findProxyStatus(error);
  if (proxyStatus) return proxyRefusedProblem(exchange, Number(proxyStatus), error);
  if (code.startsWith("HPE_")) {
    // A proxy answers itself until it has opened a tunnel, and always for plain HTTP.
    const isProxy = exchange.proxy && (!sent || url.protocol === "http:");
    const server = isProxy ? `The proxy ${exchange.proxy}` : url.origin;
    const hint = isProxy ? { hint: PROXY_HINT } : {};
    return new Problem("BAD_ANSWER", `${server} does not speak HTTP (${code}).`, { ...options, ...hint });
  }
  const suffix = code ? ` (${code})` : "";
  const through = exchange.proxy ? ` through the proxy ${exchange.proxy}` : "";
  if (sent)
    return new Problem(
      "UNREACHABLE",
      `The connection to ${url.origin}${through} broke before the response was complete${suffix}.`,
      options,
    );
  const lack = exchange.findMissingNetwork?.(code) ?? null;
  const because = lack === "network" ? ": this machine seems to be offline" : "";
  return new Problem("UNREACHABLE", `Cannot reach ${url.origin}${through}${because}${suffix}.`, {
    ...options,
    ...(lack === "network" ? { details: { ...options.details, offline: true } } : {}),
    hint: NETWORK_HINTS[lack ?? ""] ?? getUnreachableHint(exchange, code),
  });
}

/** Finds the proxy's status in undici's error. The backend calls services with undici. */
function findProxyStatus(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return /(?:response |Required )\((\d{3})\)/.exec(error.message)?.[1] ?? findProxyStatus(error.cause);
}

/** Network faults have a code of the system or the HTTP library. Errors without one, or about arguments, are bugs. */
function isBug(error: unknown, code: string): boolean {
  const errorCode = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code.startsWith("ERR_INVALID_") || (code === "" && errorCode === undefined);
}

/** Each phase has its own message: connecting, waiting for the answer, reading it. */
function timedOutProblem({ url, sent, answered, proxy }: Exchange, afterMs: number): Problem {
  const within = `within ${Math.max(1, Math.round(afterMs / 1000))} s`;
  const through = proxy ? ` through the proxy ${proxy}` : "";
  const details = { sent, phase: answered ? "body" : sent ? "answer" : "connect" };
  if (answered)
    return new Problem("TIMED_OUT", `The response from ${url.origin} did not complete ${within}.`, { details });
  if (sent) return new Problem("TIMED_OUT", `${url.origin} did not answer ${within}.`, { details });
  return new Problem("TIMED_OUT", `Could not connect to ${url.origin}${through} ${within}.`, {
    details,
    hint: "Check the address, the network and the firewall, then try again.",
  });
}

/** Describes a proxy that rejects the credentials (407) or refuses to connect to the host of an exchange. */
export function proxyRefusedProblem(
  { proxy, url }: Pick<Exchange, "proxy" | "url">,
  status: number,
  cause?: unknown,
): Problem {
  const details = { sent: false };
  if (status === 407) {
    return new Problem("PROXY_INVALID", `The proxy ${proxy} rejected the credentials (407).`, {
      hint: "Add the user and password to the proxy URL: http://user:password@host:port.",
      details,
      cause,
    });
  }
  return new Problem("UNREACHABLE", `The proxy ${proxy} refused to connect to ${url.host} (${status}).`, {
    hint: "Check the address and the rules of the proxy, or add the host to NO_PROXY.",
    details,
    cause,
  });
}

const NETWORK_HINTS: Record<string, string> = {
  network: "Connect to a network, then try again.",
  ipv6: "This machine cannot reach IPv6 addresses. Use the backend's name or its IPv4 address.",
};

const PROXY_HINT = "Check the proxy URL, or add the host to NO_PROXY.";

function getUnreachableHint({ url, proxy }: Exchange, code: string): string | undefined {
  if (proxy) return PROXY_HINT;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The name ${url.hostname} was not found. Check the address and the network.`;
  if (!isLoopbackHost(url.hostname)) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const addresses = isLoopbackName(url.hostname) ? `127.0.0.1:${port} and [::1]:${port}` : `${url.hostname}:${port}`;
  return `Nothing answers on ${addresses}. Start the backend with \`kay serve\`, or check the address: \`kay config get api-url\`.`;
}

/**
 * Returns the system's code of an error, of its cause, or of the first of several, if more than one address was tried.
 */
function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error instanceof AggregateError ? error.errors.map(getErrorCode).filter(Boolean) : [];
  if (inner.length > 0) return inner.find((code) => code === "ECONNREFUSED") ?? inner[0] ?? "";
  const code = (error as NodeJS.ErrnoException).code;
  // undici's error for a TLS connection that was closed during the answer.
  if (error.name === "HTTPParserError" && (code === undefined || code === "HPE_INVALID_EOF_STATE")) return "ECONNRESET";
  if (typeof code === "string" && !code.startsWith("UND_ERR")) return code;
  const innerCode = getErrorCode(error.cause);
  if (innerCode) return innerCode;
  // undici's errors for a connection that was closed before or during the answer.
  return /^UND_ERR_(SOCKET|ABORTED|RES_)/.test(code ?? "") ? "ECONNRESET" : "";
}

const TLS_REASONS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate was issued by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate was issued by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate was issued by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate was issued by an unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate was issued for another name",
  CERT_HAS_EXPIRED: "its certificate has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is wrong",
};

function isTlsCode(code: string, error: unknown): boolean {
  if (code in TLS_REASONS || /^(CERT_|ERR_SSL_|ERR_TLS_|UNABLE_TO_|CRL_)/.test(code)) return true;
  return code === "EPROTO" || (error instanceof Error && error.message.includes("certificate"));
}

/** Describes why a TLS connection is not trusted. */
export function describeTlsError(code: string): string {
  return (
    TLS_REASONS[code] ?? (/^(EPROTO|ERR_SSL_)/.test(code) ? "the handshake failed" : "its certificate was rejected")
  );
}

/** Returns how to fix a TLS error. `findExtraCaProblem` says why the file in NODE_EXTRA_CA_CERTS is unusable, if it is. */
export function getTlsHint(
  code: string,
  { url, findExtraCaProblem }: Pick<Exchange, "url" | "findExtraCaProblem">,
): string {
  const caProblem = findExtraCaProblem?.();
  if (caProblem) return `${caProblem} Correct NODE_EXTRA_CA_CERTS, or set KAY_CA_FILE instead.`;
  const trust = `Set NODE_EXTRA_CA_CERTS (or KAY_CA_FILE) to the certificate of the authority that issued the one of ${url.host}`;
  // No authority makes these certificates valid.
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `Use a name in the certificate, or ask the administrator of ${url.hostname} for one that includes this name.`;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return `Check the date and time of this machine. If they are correct, ask the administrator of ${url.hostname} to renew the certificate.`;
  if (/^(EPROTO|ERR_SSL_)/.test(code))
    return `Check that ${url.host} supports HTTPS. Behind a company proxy: ${trust.charAt(0).toLowerCase()}${trust.slice(1)}.`;
  return `${trust}, if you trust it.`;
}

/** Codes which mean that the system has no route or no name server. */
const NO_ROUTE_CODES = new Set(["EAI_AGAIN", "ENETUNREACH", "ENETDOWN"]);
const NO_NAME_CODES = new Set(["ENOTFOUND", "EHOSTUNREACH", "EADDRNOTAVAIL"]);

/** Returns which part of this machine's network is missing, given the error code of a connection to `host`. */
export function findMissingNetwork(builtin: LoadBuiltin, host: string, code: string): MissingNetwork {
  if (!NO_ROUTE_CODES.has(code) && !NO_NAME_CODES.has(code)) return null;
  const addresses = Object.values(builtin("node:os").networkInterfaces()).flatMap((list) => list ?? []);
  const outward = addresses.filter(({ internal }) => !internal);
  if (outward.length === 0) return "network";
  if (!NO_ROUTE_CODES.has(code)) return null;
  return host.startsWith("[") && outward.some(({ family }) => family === "IPv4") ? "ipv6" : "network";
}
