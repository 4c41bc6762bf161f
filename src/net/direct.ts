import type { IncomingMessage } from "node:http";
import type { RequestOptions } from "node:https";
import { Problem } from "#protocol/errors";
import { addDefaultAuthorities, loadOwnAuthorities } from "./authorities.ts";
import {
  createLookup,
  type Exchange,
  flattenHeaders,
  type LoadBuiltin,
  type StreamedAnswer,
  type Transport,
} from "./transport.ts";

/** Creates a transport without a proxy, on `node:http` and `node:https`. */
export function createDirectTransport(builtin: LoadBuiltin, env: Record<string, string | undefined>): Transport {
  // The user's own authority mostly signed the certificate. Node parses its 145 others for 10 ms, for each connection.
  let isOwnEnough = true;
  const send = createPatientSender(builtin);
  return async (exchange) => {
    const { url } = exchange;
    const options = { ...getTarget(url), agent: false as const };
    const ownAuthorities = url.protocol === "https:" ? loadOwnAuthorities(builtin, env) : undefined;
    if (!ownAuthorities) return toAnswer(await send(exchange, options));
    if (isOwnEnough) {
      try {
        return toAnswer(await send(exchange, { ...options, ca: ownAuthorities }));
      } catch (error) {
        // Nothing was sent yet.
        if (exchange.sent || !UNTRUSTED.has(String((error as NodeJS.ErrnoException).code))) throw error;
        isOwnEnough = false;
      }
    }
    const ca = addDefaultAuthorities(builtin, ownAuthorities);
    return toAnswer(await send(exchange, { ...options, ca }));
  };
}

/** Time in ms for each address of a host on a slow network. Node's own, 250 ms, is shorter than the way to a satellite. */
const PATIENT_ATTEMPT_MS = 3_000;

/**
 * Creates the sender of requests. Node gives each address of a host but the last little time, so that a silent one does
 * not delay every request. If that is too little for all of them, tries again with more.
 */
function createPatientSender(builtin: LoadBuiltin) {
  let isPatient = false;
  return async (exchange: Exchange, options: RequestOptions): Promise<IncomingMessage> => {
    const send = () =>
      sendRequest(builtin, exchange, exchange.url.protocol, {
        ...options,
        ...(isPatient ? { autoSelectFamilyAttemptTimeout: PATIENT_ATTEMPT_MS } : {}),
      });
    if (isPatient) return send();
    return send().catch((error: unknown) => {
      if (exchange.sent || !isCutShort(error)) throw error;
      isPatient = true;
      return send();
    });
  };
}

function isCutShort(error: unknown): boolean {
  return error instanceof AggregateError && error.errors.some(({ code }) => code === "ETIMEDOUT");
}

/** Errors of certificates that another authority may have signed. */
const UNTRUSTED = new Set([
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Makes an answer of a response whose body is still arriving. */
export function toAnswer(response: IncomingMessage): StreamedAnswer {
  return { status: response.statusCode ?? 0, headers: flattenHeaders(response.headers), body: response };
}

/** Returns where to connect for a URL, without the credentials in it. Names of this machine need no resolver. */
export function getTarget(url: URL): RequestOptions & { host: string } {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Otherwise Node would derive the name from the Host header, and check a proxy's certificate against the backend's.
  const servername = /^[\d.]+$|:/.test(host) ? "" : host;
  return { host, servername, port: url.port, path: `${url.pathname}${url.search}`, ...createLookup(url) };
}

/**
 * Sends the request of an exchange. The exchange has its own connection, which ends with it: no stale connection can
 * lose the answer to a write, and no idle one keeps the process alive.
 */
export async function sendRequest(
  builtin: LoadBuiltin,
  exchange: Exchange,
  protocol: string,
  options: RequestOptions,
): Promise<IncomingMessage> {
  const { request, url, signal } = exchange;
  const module = protocol === "https:" ? builtin("node:https") : builtin("node:http");
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { host: url.host, ...request.headers, ...options.headers };
    const outgoing = module.request({ ...options, method: request.method, headers, signal }, resolve);
    const connectEvent = protocol === "https:" ? "secureConnect" : "connect";
    outgoing.on("socket", (socket) => socket.once(connectEvent, () => (exchange.sent = true)));
    outgoing.on("upgrade", (_response, socket) => {
      socket.destroy();
      reject(new Problem("BAD_ANSWER", `${url.origin} answered 101 and switched to a protocol other than HTTP.`));
    });
    outgoing.on("error", reject);
    // After the connection is closed, no answer or error can follow.
    outgoing.on("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
    outgoing.end(request.body);
  });
  exchange.answered = true;
  return response;
}
