import { randomBytes } from "node:crypto";
import { Problem } from "#protocol/errors";
import {
  countAnonymous,
  deleteAnonymousBefore,
  findExistingInstallation,
  insertInstallation,
} from "../store/installations.ts";
import type { DbConnection } from "../store/schema.ts";
import { hashSecret } from "../store/secrets.ts";

const SESSION_ID = /^kaysession_[A-Za-z0-9_-]{1,200}$/;

const HOUR_MS = 60 * 60 * 1000;
/** How long an installation is kept without a sign-in. A sign-in link is valid for ten minutes. */
const ANONYMOUS_LIFETIME_MS = 7 * 24 * HOUR_MS;
/** Maximum number of such installations. The oldest are removed once they are an hour old. */
const ANONYMOUS_LIMIT = 10_000;

/** An installation and the session ID by which its client names it. */
export type Session = { installationId: string; sessionId: string };

/**
 * Creates an installation and its session ID: `kaysession_<milliseconds>_<128 random bits>`. The session ID grants access to
 * the installation, so the database and tokens have only an ID that is derived from it.
 *
 * @throws Problem RATE_LIMITED if too many clients asked for one and never signed in
 */
export async function createSession(db: DbConnection, now: number): Promise<Session> {
  await deleteAnonymousBefore(db, new Date(now - ANONYMOUS_LIFETIME_MS), 100);
  if ((await countAnonymous(db)) >= ANONYMOUS_LIMIT) {
    await deleteAnonymousBefore(db, new Date(now - HOUR_MS), ANONYMOUS_LIMIT / 10);
    if ((await countAnonymous(db)) >= ANONYMOUS_LIMIT) {
      const message = "Too many new installations wait for a first sign-in.";
      throw new Problem("RATE_LIMITED", message, { details: { retry_after: HOUR_MS / 1000 } });
    }
  }
  const sessionId = `kaysession_${now}_${randomBytes(16).toString("hex")}`;
  const installationId = deriveInstallationId(sessionId);
  await insertInstallation(db, installationId, new Date(now));
  return { installationId, sessionId };
}

/** Returns the ID of the installation that a client names by its session ID; undefined if there is none. */
export async function findInstallation(
  db: DbConnection,
  sessionId: string | null | undefined,
): Promise<string | undefined> {
  if (!sessionId || !SESSION_ID.test(sessionId)) return undefined;
  // Installations of an older kay have the session ID as their ID.
  return findExistingInstallation(db, [deriveInstallationId(sessionId), sessionId]);
}

/** Derives the ID of an installation from its session ID, which does not reveal it. */
export function deriveInstallationId(sessionId: string): string {
  return `installation_${hashSecret(sessionId).toString("hex").slice(0, 32)}`;
}
