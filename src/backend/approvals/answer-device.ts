import { randomBytes } from "node:crypto";
import { findCookie, formatCookie } from "#protocol/cookies";
import type { BackendPorts } from "../ports.ts";
import { findAnswerDevice, insertAnswerLink, spendAnswerLink } from "../store/answer-devices.ts";
import { hashSecret } from "../store/secrets.ts";

/** How long a link signs a device in, in ms. It is opened within moments, and works once. */
const LINK_LIFE_MS = 10 * 60_000;

/** How long a device may answer, in ms: as long as a sign-in lasts at most. */
const DEVICE_LIFE_MS = 30 * 24 * 3_600_000;

const COOKIE = "kay-answer";

/** The page where requests are answered, and the page that signs a device in. */
export const ANSWER_PATH = "/answer";
export const DEVICE_PATH = `${ANSWER_PATH}/device`;

type Ports = Pick<BackendPorts, "db" | "clock" | "publicUrl">;

/** Returns where a request is answered, for devices that are signed in. It holds no secret. */
export function toAnswerUrl({ publicUrl }: Pick<Ports, "publicUrl">, interactionId?: string | null): string {
  return `${publicUrl}${ANSWER_PATH}${interactionId ? `/${interactionId}` : ""}`;
}

/** Creates a link that signs one device in, for the sign-in of a terminal. */
export async function createAnswerLink(
  { db, clock, publicUrl }: Ports,
  { familyId, interactionId }: { familyId: string; interactionId: string | null },
): Promise<{ url: string; expires_at: string }> {
  const token = randomBytes(32).toString("base64url");
  const now = clock.now();
  const expiresAt = new Date(now + LINK_LIFE_MS);
  await insertAnswerLink(db, { hash: hashSecret(token), familyId, interactionId, expiresAt }, now);
  return { url: `${publicUrl}${DEVICE_PATH}/${token}`, expires_at: expiresAt.toISOString() };
}

/** A device that was signed in: its cookie, and the request that its link shows first. */
export type SignedInDevice = { cookie: string; interactionId: string | null };

/** Signs a device in with a link, once. Returns undefined for a link that was used, has expired or never was. */
export async function signInDevice(
  { db, clock, publicUrl }: Ports,
  token: string,
): Promise<SignedInDevice | undefined> {
  const value = randomBytes(32).toString("base64url");
  const now = clock.now();
  const device = { hash: hashSecret(value), expiresAt: new Date(now + DEVICE_LIFE_MS) };
  const link = await spendAnswerLink(db, hashSecret(token), device, now);
  return link && { ...link, cookie: formatDeviceCookie(publicUrl, value, DEVICE_LIFE_MS / 1_000) };
}

/** Returns a cookie that makes the browser forget its device. */
export function formatEmptyCookie({ publicUrl }: Pick<Ports, "publicUrl">): string {
  return formatDeviceCookie(publicUrl, "", 0);
}

/** Returns the installation that the browser's device may answer for, and the hash of its cookie. */
export async function findDevice(
  { db, clock, publicUrl }: Ports,
  cookies: string | undefined,
): Promise<{ installationId: string; hash: Buffer } | undefined> {
  const value = findCookie(publicUrl, cookies, COOKIE);
  if (!value) return undefined;
  const hash = hashSecret(value);
  const device = await findAnswerDevice(db, hash, clock.now());
  return device && { ...device, hash };
}

function formatDeviceCookie(publicUrl: string, value: string, seconds: number): string {
  return formatCookie(publicUrl, { name: COOKIE, value, sameSite: "Strict", seconds });
}
