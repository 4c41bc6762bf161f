import { Problem } from "#protocol/errors";
import { isLoopbackHost, isLoopbackName } from "./addresses.ts";
import type { Exchange, LoadBuiltin, MissingNetwork } from "./transport.ts";

/** How the exchange was ended from this side, if it was: by the caller, or after so many milliseconds without an answer. */
export type EndReason = "abort" | { afterMs: number } | null;

/**
 * What went wrong, in one sentence with the system's code and the host, never the library's own words. `details.sent` tells whether the
 * request may have reached the other side. What is no fault of the outside world comes back as it was.
 */
export function toSendProblem(error: unknown, exchange: Exchange, ended: EndReason): Error {
  if (error instanceof Problem) return error;
  const { url, sent } = exchange;
  const code = getCode(error);
  if (!ended && isBug(error, code)) return error instanceof Error ? error : new Error(String(error));
  const options = { details: { sent, ...(code ? { errno: code } : {}) }, cause: error };
  if (ended === "abort") return new Problem("CANCELLED", "Cancelled.", { details: { sent } });
  if (ended) return timedOut(exchange, ended.afterMs);
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
  const proxyStatus = /(?:response |Required )\((\d{3})\)/.exec(error instanceof Error ? error.message : "")?.[1];
  if (exchange.proxy && proxyStatus) return proxyRefused(exchange, proxyStatus, error);
  if (code.startsWith("HPE_")) {
    return new Problem("BAD_ANSWER", `${url.origin} does not speak HTTP (${code}).`, options);
  }
  const suffix = code ? ` (${code})` : "";
  const through = exchange.proxy ? ` through the proxy ${exchange.proxy}` : "";
  if (sent)
    return new Problem(
      "UNREACHABLE",
      `The connection to ${url.origin}${through} broke off before the answer was whole${suffix}.`,
      options,
    );
  const lack = exchange.lack?.(code) ?? null;
  const because = lack === "network" ? ": this machine seems to be offline" : "";
  return new Problem("UNREACHABLE", `Cannot reach ${url.origin}${through}${because}${suffix}.`, {
    ...options,
    ...(lack === "network" ? { details: { ...options.details, offline: true } } : {}),
    hint: LACKS[lack ?? ""] ?? unreachableHint(exchange, code),
  });
}

/** Faults of the outside have a code of the system or of the HTTP library; without one, or with one about arguments, it is kay's own. */
function isBug(error: unknown, code: string): boolean {
  const own = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code.startsWith("ERR_INVALID_") || (code === "" && own === undefined);
}

/** Each phase of an exchange has its own words: connecting, waiting for the answer, reading it. */
function timedOut({ url, sent, answered, proxy }: Exchange, afterMs: number): Problem {
  const within = `within ${Math.max(1, Math.round(afterMs / 1000))} s`;
  const through = proxy ? ` through the proxy ${proxy}` : "";
  const details = { sent, phase: answered ? "body" : sent ? "answer" : "connect" };
  if (answered)
    return new Problem("TIMED_OUT", `The response from ${url.origin} did not complete ${within}.`, { details });
  if (sent) return new Problem("TIMED_OUT", `${url.origin} did not answer ${within}.`, { details });
  return new Problem("TIMED_OUT", `Could not connect to ${url.origin}${through} ${within}.`, {
    details,
    hint: "Check the address, the network and its firewall, then try again.",
  });
}

function proxyRefused({ proxy, url }: Exchange, status: string, cause: unknown): Problem {
  const details = { sent: false };
  if (status === "407") {
    return new Problem("PROXY_INVALID", `The proxy ${proxy} asks for other credentials (407).`, {
      hint: "Put the user and password into the proxy's address, as http://user:password@host:port.",
      details,
      cause,
    });
  }
  return new Problem("UNREACHABLE", `The proxy ${proxy} does not connect to ${url.host} (${status}).`, {
    details,
    cause,
  });
}

const LACKS: Record<string, string> = {
  network: "Connect it to a network, then try again.",
  ipv6: "This machine has no way to IPv6 addresses: use the backend's name, or its IPv4 address.",
};

function unreachableHint({ url, proxy }: Exchange, code: string): string | undefined {
  if (proxy) return "Check the proxy's address, or list the host in NO_PROXY.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The name ${url.hostname} was not found: check the address and the network.`;
  if (!isLoopbackHost(url.hostname)) return undefined;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const tried = isLoopbackName(url.hostname) ? `127.0.0.1:${port} and [::1]:${port}` : `${url.hostname}:${port}`;
  return `Nothing answers on ${tried}. Start the backend with \`kay serve\`, or check the address: \`kay config get api-url\`.`;
}

/** The system's code of an error, of its cause, or of the first of several (two addresses were tried and both failed). */
function getCode(error: unknown): string {
  if (!(error instanceof Error)) return "";
  const inner = error instanceof AggregateError ? error.errors.map(getCode).filter(Boolean) : [];
  if (inner.length > 0) return inner.find((code) => code === "ECONNREFUSED") ?? inner[0] ?? "";
  const own = (error as NodeJS.ErrnoException).code;
  // undici's word for a connection that the other side closed within the answer, over TLS.
  if (error.name === "HTTPParserError" && (own === undefined || own === "HPE_INVALID_EOF_STATE")) return "ECONNRESET";
  if (typeof own === "string" && !own.startsWith("UND_ERR")) return own;
  const below = getCode(error.cause);
  if (below) return below;
  // undici's own names for a connection that the other side closed, before or within the answer.
  return /^UND_ERR_(SOCKET|ABORTED|RES_)/.test(own ?? "") ? "ECONNRESET" : "";
}

const TLS_REASONS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an authority that this machine does not know",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate comes from an authority that this machine does not know",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate comes from an authority that this machine does not know",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate comes from an authority that this machine does not know",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is wrong",
};

function isTlsCode(code: string, error: unknown): boolean {
  if (code in TLS_REASONS || /^(CERT_|ERR_SSL_|ERR_TLS_|UNABLE_TO_|CRL_)/.test(code)) return true;
  return code === "EPROTO" || (error instanceof Error && error.message.includes("certificate"));
}

/** Why a TLS connection is not trusted, by the code of it. */
export function describeTlsError(code: string): string {
  return (
    TLS_REASONS[code] ?? (/^(EPROTO|ERR_SSL_)/.test(code) ? "the handshake failed" : "its certificate was refused")
  );
}

/** What to do about it. `extraFault` says what is wrong with the file of NODE_EXTRA_CA_CERTS, if anything. */
export function getTlsHint(code: string, { url, extraFault }: Pick<Exchange, "url" | "extraFault">): string {
  const unread = extraFault?.();
  if (unread) return `${unread} Correct NODE_EXTRA_CA_CERTS, or set KAY_CA_FILE instead.`;
  const trust = `Set NODE_EXTRA_CA_CERTS (or KAY_CA_FILE) to the file of the authority that signs for ${url.host}`;
  if (/^(EPROTO|ERR_SSL_)/.test(code))
    return `Check that ${url.host} speaks https. Behind a company proxy: ${trust.charAt(0).toLowerCase()}${trust.slice(1)}.`;
  return `${trust}, if you trust it.`;
}

/** Codes by which a system tells that it has no way out, or nobody to ask for a name. */
const NO_WAY = new Set(["EAI_AGAIN", "ENETUNREACH", "ENETDOWN"]);
const NO_NAME = new Set(["ENOTFOUND", "EHOSTUNREACH", "EADDRNOTAVAIL"]);

/** What a failure with this code on the way to `host` says about this machine's own network. */
export function findMissingNetwork(builtin: LoadBuiltin, host: string, code: string): MissingNetwork {
  if (!NO_WAY.has(code) && !NO_NAME.has(code)) return null;
  const addresses = Object.values(builtin("node:os").networkInterfaces()).flatMap((each) => each ?? []);
  const outward = addresses.filter(({ internal }) => !internal);
  if (outward.length === 0) return "network";
  if (!NO_WAY.has(code)) return null;
  return host.startsWith("[") && outward.some(({ family }) => family === "IPv4") ? "ipv6" : "network";
}
