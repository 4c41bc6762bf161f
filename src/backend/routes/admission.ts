import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import { ANSWER_PATH } from "../approvals/answer-device.ts";
import type { BackendPorts } from "../ports.ts";
import { compareSecrets } from "../store/secrets.ts";

/** A name or an address, and a port (RFC 9110 section 7.2). */
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/i;
/** Paths that browsers and probes request without the local secret. */
const OPEN = [
  "GET /auth/callback",
  "GET /auth/begin",
  "POST /auth/begin",
  "POST /auth/undo",
  "GET /auth/key",
  "POST /auth/key",
  "GET /health",
  "GET /ready",
  "POST /agent/webhook",
];

/** The redirect address of a custom service, which is open like all others. */
const OWN_CALLBACK = /^(\/auth\/callback)\/[0-9a-f]{16}$/;

type Ports = Pick<BackendPorts, "publicUrl" | "hosts" | "localSecret">;

/**
 * Rejects senders that may not use this backend at all, before any route is matched.
 *
 * @throws Problem HOST_REFUSED for a foreign name in `Host` (DNS rebinding), ORIGIN_REFUSED for a page of another
 * origin that wants to change something, LOCAL_SECRET_REQUIRED for a stranger on this machine (all 403)
 */
export function checkAdmission(ports: Ports, request: Request): void {
  const url = new URL(request.url);
  const host = request.headers.get("host") ?? url.host;
  checkHost(ports, host);
  checkOrigin(ports, request, host);
  checkLocalSecret(ports, request, url.pathname);
}

/**
 * Checks that `Host` is a name of this backend. An attacker's page that resolves its name to this machine still sends
 * its own.
 */
function checkHost({ publicUrl, hosts = [] }: Ports, host: string): void {
  const name = HOST.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
  const ownNames = [new URL(publicUrl).hostname, ...hosts.map((name) => name.toLowerCase())];
  if (ownNames.includes(name) || isLoopbackHost(name)) return;
  throw new Problem("HOST_REFUSED", "This backend does not answer to the name in the Host header.");
}

function checkOrigin({ publicUrl }: Ports, request: Request, host: string): void {
  const origin = request.headers.get("origin");
  if (origin === null || request.method === "GET" || request.method === "HEAD") return;
  if (origin === new URL(publicUrl).origin || origin === `http://${host}` || origin === `https://${host}`) return;
  throw new Problem("ORIGIN_REFUSED", "Pages of other origins cannot change anything here.");
}

function checkLocalSecret({ localSecret }: Ports, request: Request, path: string): void {
  if (localSecret === undefined || OPEN.includes(`${request.method} ${path.replace(OWN_CALLBACK, "$1")}`)) return;
  if (path === ANSWER_PATH || path.startsWith(`${ANSWER_PATH}/`)) return;
  if (compareSecrets(request.headers.get("kay-local-secret") ?? "", localSecret)) return;
  throw new Problem("LOCAL_SECRET_REQUIRED", "This backend belongs to another process on this machine.");
}
