import { createApi } from "#client/api/api";
import { type CredentialsOptions, createCredentials } from "#client/credentials/create";
import { createRefresher } from "#client/credentials/refresh";
import {
  type EmbeddedBackend,
  type EmbeddedPorts,
  isStillRunning,
  openEmbeddedBackend,
} from "#client/embedded/embedded";
import { withEmbeddedReconnect } from "#client/embedded/reconnect";
import type { ProfileChoice } from "#client/settings/profiles";
import { DEFAULT_PROFILE } from "#client/settings/profiles";
import { parseOrigin } from "#net/addresses";
import type { OpenStream, Send, Timer } from "#net/ports";
import { TOUR } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { CompletionCache } from "../completion/cache.ts";
import { withCompletionCache } from "../completion/cached-api.ts";
import type { BackendHandle, BackendTarget } from "./handle.ts";
import { formatProfileFlag } from "./profile-flag.ts";

/** Name under which the local backend's sign-in is stored: its port changes, its identity does not. */
const EMBEDDED_ORIGIN = "embedded";

/** Ports of a backend handle. Everything slow is a function. */
export type HandlePorts = {
  version: string;
  clock: Timer;
  random(bytes: number): Uint8Array;
  send: Send;
  openStream: OpenStream;
  warn(message: string): void;
  /** `api-url` of flag, environment or profile; undefined means the embedded backend. */
  apiUrl?: string;
  allowInsecure: boolean;
  profile: ProfileChoice;
  /** KAY_TOKEN. */
  token?: string;
  credentials(): CredentialsOptions;
  getEmbeddedPorts(): EmbeddedPorts;
  /** Where names from this backend are stored for completion. */
  openCompletionCache(origin: string): CompletionCache;
};

/** Determines which backend is meant. */
export function resolveTarget(ports: HandlePorts): BackendTarget {
  if (!ports.apiUrl) return resolveEmbeddedTarget(ports, EMBEDDED_ORIGIN);
  const credentials = createCredentials(ports.credentials());
  const { origin, baseUrl } = parseOrigin(ports.apiUrl, { allowInsecure: ports.allowInsecure });
  return { origin, baseUrl, embedded: false, credentials, completions: ports.openCompletionCache(origin) };
}

/** Returns a backend on this machine, with the sign-in that is stored under its name. */
export function resolveEmbeddedTarget(ports: HandlePorts, origin: string): BackendTarget {
  return {
    origin,
    embedded: true,
    credentials: createCredentials(ports.credentials()),
    completions: ports.openCompletionCache(origin),
  };
}

/** Returns the sign-in at a backend that the profile may no longer use (default: the local one). */
export function resolveTargetAt(ports: HandlePorts, origin?: string): BackendTarget {
  if (origin === undefined) return resolveTarget(ports);
  if (origin === EMBEDDED_ORIGIN || origin === TOUR) return resolveEmbeddedTarget(ports, origin);
  const configured = ports.apiUrl === undefined ? null : parseOrigin(ports.apiUrl, { allowInsecure: true });
  return resolveTarget({ ...ports, apiUrl: configured?.origin === origin ? configured.baseUrl : origin });
}

/**
 * Opens the backend. Starts the local one if it is not running.
 *
 * @param options.stored uses the stored sign-in even if KAY_TOKEN is set
 * @throws Problem NOT_SIGNED_IN if `signedIn` is required and nothing is stored; no backend is started for that
 */
export async function openBackend(
  ports: HandlePorts,
  account: BackendTarget,
  { signedIn = false, stored = false }: { signedIn?: boolean; stored?: boolean } = {},
): Promise<BackendHandle> {
  const { origin, credentials } = account;
  // KAY_TOKEN belongs to the backend in the environment, never to the local one.
  if (account.embedded && ports.token && !stored)
    ports.warn("Ignoring KAY_TOKEN: it only applies when KAY_API_URL is set.");
  const token = account.embedded || stored ? undefined : ports.token;
  if (signedIn && !token) {
    const { signIn } = await credentials.read(origin);
    if (!signIn.token && !signIn.refresh_token) throw notSignedInProblem(ports.profile);
  }
  const embedded: EmbeddedBackend | undefined = account.embedded
    ? await openEmbeddedBackend(ports.getEmbeddedPorts())
    : undefined;
  const baseUrl = embedded?.url ?? account.baseUrl ?? "";
  const { clock, random, version, warn } = ports;
  const way =
    embedded &&
    withEmbeddedReconnect(
      embedded,
      () => openEmbeddedBackend(ports.getEmbeddedPorts()),
      (backend) => isStillRunning(ports.getEmbeddedPorts(), backend),
    );
  const api = createApi({
    baseUrl,
    send: way ? way(ports.send) : ports.send,
    openStream: way ? way(ports.openStream) : ports.openStream,
    openElsewhere: ports.openStream,
    clock,
    random,
    version,
    ...(embedded ? { localSecret: embedded.secret } : {}),
    ...(token ? { token } : {}),
    refresher: (call) => createRefresher({ origin, credentials, clock, call, warn }),
  });
  // KAY_TOKEN may belong to anyone, so its data is not stored.
  const listening = token === undefined ? withCompletionCache(api, account.completions) : api;
  return {
    origin,
    baseUrl,
    embedded: account.embedded,
    usesEnvironmentToken: token !== undefined,
    api: listening,
    credentials,
  };
}

function notSignedInProblem(profile: ProfileChoice): Problem {
  if (profile.name === DEFAULT_PROFILE) return new Problem("NOT_SIGNED_IN", "You are not signed in.");
  const hint = `Run \`kay connect <service>${formatProfileFlag(profile)}\`.`;
  return new Problem("NOT_SIGNED_IN", `You are not signed in to profile ${profile.name}.`, { hint });
}
