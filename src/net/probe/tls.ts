import { accessSync, constants } from "node:fs";
import { isIP, type Socket } from "node:net";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { loadAuthorities } from "../authorities.ts";
import { describeTlsError, getTlsHint } from "../faults.ts";
import type { ProbePorts } from "./step.ts";

/** A TLS connection as it came about, trusted or not; nothing is ever sent over one that is not. */
export type TlsResult = { state: "ok" | "warning" | "failed"; message: string; fix?: string; socket: TLSSocket };

/** A certificate that ends in fewer days is told. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * Speak TLS over a connection, and look at the certificate as a request would.
 *
 * @throws Problem TLS_FAILED when there is no handshake, USAGE when KAY_CA_FILE cannot be read
 */
export async function startTls(plain: Socket, url: URL, ports: ProbePorts, limit: AbortSignal): Promise<TlsResult> {
  const { builtin, env, clock } = ports;
  const socket = await handshake(plain, url, loadAuthorities(builtin, env), limit);
  const { issuer, valid_to } = socket.getPeerCertificate();
  const by = issuerName(issuer);
  if (!socket.authorized) {
    const code = String(socket.authorizationError);
    const message = `The certificate of ${url.hostname} by ${by} is not trusted: ${describeTlsError(code)} (${code}). ${trusted(env)}`;
    return { state: "failed", message, fix: getTlsHint(code, { url }), socket };
  }
  const days = Math.floor((Date.parse(valid_to) - clock.now()) / DAY_MS);
  const message = `${socket.getProtocol()}, certificate by ${by}, good until ${new Date(valid_to).toISOString().slice(0, 10)}. ${trusted(env)}`;
  const missing = missingFile(env);
  if (missing !== null) {
    return {
      state: "warning",
      message: `${message} ${missing}`,
      fix: "Set NODE_EXTRA_CA_CERTS to a file of certificates (PEM), or unset it.",
      socket,
    };
  }
  if (days >= SOON_DAYS) return { state: "ok", message, socket };
  return { state: "warning", message, fix: `Whoever runs ${url.hostname} has to renew it.`, socket };
}

function handshake(plain: Socket, url: URL, ca: string[] | undefined, limit: AbortSignal): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: plain,
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca ? { ca } : {}),
      // Looked at afterwards, so that the issuer of one that is refused can be named.
      rejectUnauthorized: false,
    });
    const broken = (error: NodeJS.ErrnoException) => {
      const code = error.code ?? "closed";
      reject(
        new Problem(
          "TLS_FAILED",
          `There is no TLS handshake with ${url.host}: ${describeTlsError("EPROTO")} (${code}).`,
          {
            hint: getTlsHint("EPROTO", { url }),
          },
        ),
      );
    };
    socket.once("secureConnect", () => {
      socket.off("error", broken).on("error", () => {});
      resolve(socket);
    });
    socket.on("error", broken);
    limit.addEventListener("abort", () => socket.destroy(new Error("no answer")), { once: true });
  });
}

function issuerName(issuer: PeerCertificate["issuer"] | undefined): string {
  const name = [issuer?.O, issuer?.CN].flat().filter(Boolean)[0] ?? "nobody";
  return clean(name, { lines: false, max: 80 });
}

/** Where the authorities come from. */
function trusted(env: ProbePorts["env"]): string {
  const files = ["KAY_CA_FILE", "NODE_EXTRA_CA_CERTS"].filter((name) => env[name]?.trim());
  return files.length === 0
    ? "Trusted are Node's own authorities."
    : `Trusted are Node's own authorities and ${files.join(" and ")}.`;
}

/** Node ignores a file of its own variable that it cannot read. */
function missingFile({ NODE_EXTRA_CA_CERTS: file }: ProbePorts["env"]): string | null {
  if (!file?.trim()) return null;
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `NODE_EXTRA_CA_CERTS names ${clean(file, { lines: false, max: 200 })}, which cannot be read (${code}).`;
  }
}
