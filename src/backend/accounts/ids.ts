import { createHash, randomBytes } from "node:crypto";

const INSTALLATION = /^kaysession_[A-Za-z0-9_-]{1,200}$/;

/** A new installation id: `kaysession_<milliseconds>_<128 random bits>` (guide, "Step 1"). It opens what it names, so it is a secret. */
export function createInstallationId(now: number): string {
  return `kaysession_${now}_${randomBytes(16).toString("hex")}`;
}

/** Whether a text can be an installation id at all; others never reach the database. */
export function isInstallationId(text: string): boolean {
  return INSTALLATION.test(text);
}

/** How secrets are looked up: SHA-256, so that a copy of the database opens nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}
