import { readFileSync } from "node:fs";
import { type ErrorCode, Problem } from "#protocol/errors";
import type { LoadBuiltin } from "./transport.ts";

type X509 = typeof import("node:crypto").X509Certificate;

/** The variable that names the file, the certificate parser, and the error code for an unusable file. */
type CertificateSource = { variable: "KAY_CA_FILE" | "NODE_EXTRA_CA_CERTS"; X509: X509; code: ErrorCode };

/**
 * Returns the default certificate authorities and those of `KAY_CA_FILE`; undefined to use Node's, including
 * NODE_EXTRA_CA_CERTS.
 */
export function loadAuthorities(builtin: LoadBuiltin, env: Record<string, string | undefined>): string[] | undefined {
  const authorities = loadOwnAuthorities(builtin, env);
  return authorities && addDefaultAuthorities(builtin, authorities);
}

/** Returns the certificate authorities of `KAY_CA_FILE`. */
export function loadOwnAuthorities(
  builtin: LoadBuiltin,
  env: Record<string, string | undefined>,
): string[] | undefined {
  const file = env.KAY_CA_FILE?.trim();
  if (!file) return undefined;
  const { X509Certificate: X509 } = builtin("node:crypto");
  return readCertificates(file, { variable: "KAY_CA_FILE", X509, code: "USAGE" });
}

/** Adds the authorities that Node trusts by default. */
export function addDefaultAuthorities(builtin: LoadBuiltin, authorities: string[]): string[] {
  return [...builtin("node:tls").getCACertificates("default"), ...authorities];
}

/** Returns why the file in NODE_EXTRA_CA_CERTS is unusable. Node ignores such a file. */
export function findExtraCaProblem(builtin: LoadBuiltin, env: Record<string, string | undefined>): string | null {
  const file = env.NODE_EXTRA_CA_CERTS;
  if (!file) return null;
  try {
    const { X509Certificate: X509 } = builtin("node:crypto");
    readCertificates(file, { variable: "NODE_EXTRA_CA_CERTS", X509, code: "TLS_FAILED" });
    return null;
  } catch (error) {
    return error instanceof Problem ? error.message : null;
  }
}

/**
 * Reads the certificates of a file as PEM: one or several in PEM, or a single one in DER.
 *
 * @throws Problem when the file is missing, a folder, empty, damaged, or has no certificate
 */
export function readCertificates(file: string, { variable, X509, code }: CertificateSource): string[] {
  const unusableFileProblem = (sentence: string, hint: string, cause?: unknown) =>
    new Problem(code, sentence, { hint, cause });
  const hint = `Set ${variable} to a file of PEM certificates, or unset it.`;
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw unusableFileProblem(`Could not read the file in ${variable}: ${file} (${errno}).`, hint, error);
  }
  const blocks = bytes.toString("latin1").match(BLOCK);
  if (!blocks) {
    const der = parseCertificate(X509, bytes);
    if (der) return [der];
    const fault = bytes.length === 0 ? "is empty" : "contains no certificate";
    throw unusableFileProblem(`The file in ${variable} ${fault}: ${file}.`, hint);
  }
  return blocks.map((block, index) => {
    const certificate = parseCertificate(X509, block);
    if (certificate) return certificate;
    throw unusableFileProblem(`Certificate ${index + 1} of ${variable} is damaged: ${file}.`, hint);
  });
}

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function parseCertificate(X509: X509, certificate: Buffer | string): string | null {
  try {
    return new X509(certificate).toString();
  } catch {
    return null;
  }
}
