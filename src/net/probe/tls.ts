import { accessSync, constants } from "node:fs";
import { isIP, type Socket } from "node:net";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { loadAuthorities } from "../authorities.ts";
import { describeTlsError, getTlsHint } from "../faults.ts";
import type { ProbePorts } from "./step.ts";

/** A TLS connection, trusted or not. Nothing is ever sent over an untrusted one. */
export type TlsResult = { state: "ok" | "warning" | "failed"; message: string; fix?: string; socket: TLSSocket };

/** A certificate that expires in fewer days causes a warning. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * Starts TLS on a connection and checks the certificate as a request would.
 *
 * @throws Problem TLS_FAILED when the handshake fails, USAGE when KAY_CA_FILE cannot be read
 */
export async function startTls(tcpSocket: Socket, url: URL, ports: ProbePorts, limit: AbortSignal): Promise<TlsResult> {
  const { builtin, env, clock } = ports;
  const socket = await startHandshake(tcpSocket, url, loadAuthorities(builtin, env), limit);
  const { issuer, valid_to } = socket.getPeerCertificate();
  const issuerName = formatIssuer(issuer);
  if (!socket.authorized) {
    const code = String(socket.authorizationError);
    const message = `The certificate of ${url.hostname}, issued by ${issuerName}, is not trusted: ${describeTlsError(code)} (${code}). ${formatAuthorities(env)}`;
    return { state: "failed", message, fix: getTlsHint(code, { url }), socket };
  }
  const days = Math.floor((Date.parse(valid_to) - clock.now()) / DAY_MS);
  const message = `${socket.getProtocol()}, certificate issued by ${issuerName}, valid until ${new Date(valid_to).toISOString().slice(0, 10)}. ${formatAuthorities(env)}`;
  const caFileProblem = findMissingCaFile(env);
  if (caFileProblem !== null) {
    return {
      state: "warning",
      message: `${message} ${caFileProblem}`,
      fix: "Set NODE_EXTRA_CA_CERTS to a file of PEM certificates, or unset it.",
      socket,
    };
  }
  if (days >= SOON_DAYS) return { state: "ok", message, socket };
  return { state: "warning", message, fix: `Ask the administrator of ${url.hostname} to renew it.`, socket };
}

function startHandshake(tcpSocket: Socket, url: URL, ca: string[] | undefined, limit: AbortSignal): Promise<TLSSocket> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve, reject) => {
    const socket = connect({
      socket: tcpSocket,
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca ? { ca } : {}),
      // Checked below, so that the issuer of an untrusted certificate can be named.
      rejectUnauthorized: false,
    });
    const onError = (error: NodeJS.ErrnoException) => {
      const code = error.code ?? "closed";
      reject(
        new Problem(
          "TLS_FAILED",
          `The TLS handshake with ${url.host} failed: ${describeTlsError("EPROTO")} (${code}).`,
          {
            hint: getTlsHint("EPROTO", { url }),
          },
        ),
      );
    };
    socket.once("secureConnect", () => {
      socket.off("error", onError).on("error", () => {});
      resolve(socket);
    });
    socket.on("error", onError);
    limit.addEventListener("abort", () => socket.destroy(new Error("no answer")), { once: true });
  });
}

function formatIssuer(issuer: PeerCertificate["issuer"] | undefined): string {
  const name = [issuer?.O, issuer?.CN].flat().filter(Boolean)[0] ?? "an unknown issuer";
  return clean(name, { lines: false, max: 80 });
}

/** Lists the sources of trusted authorities. */
function formatAuthorities(env: ProbePorts["env"]): string {
  const files = ["KAY_CA_FILE", "NODE_EXTRA_CA_CERTS"].filter((name) => env[name]?.trim());
  return files.length === 0 ? "Trusts Node's authorities." : `Trusts Node's authorities and ${files.join(" and ")}.`;
}

/** Returns why the file in NODE_EXTRA_CA_CERTS cannot be read, which Node ignores. */
function findMissingCaFile({ NODE_EXTRA_CA_CERTS: file }: ProbePorts["env"]): string | null {
  if (!file?.trim()) return null;
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return `Could not read the file in NODE_EXTRA_CA_CERTS: ${clean(file, { lines: false, max: 200 })} (${code}).`;
  }
}
