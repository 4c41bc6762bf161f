import type { CredentialsOptions } from "#client/credentials/create";
import type { EmbeddedPorts } from "#client/embedded/embedded";
import type { Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import type { Outgoing, Timer } from "#net/ports";
import { openCompletionCache } from "../completion/cache.ts";
import type { CliPorts } from "../ports.ts";
import type { HandlePorts } from "./open.ts";

/** Settings whose change requires a new local backend: everything about services' clients. */
const SHAPING = /\.(client-(id|secret)|sign-in)$|^(kyg\.|github\.url$|client-document$)/;

/** Builds the ports of a backend handle from the settings. */
export function createHandlePorts(
  ports: CliPorts,
  paths: Paths,
  settings: Settings,
  warn: (message: string) => void,
  note: (text: string) => void,
): HandlePorts {
  const { env, clock, random, send, openStream, version, processes } = ports;
  return {
    version,
    clock,
    random,
    send: withSlowNote(send, (request) => request.timeoutMs, clock, note),
    openStream: withSlowNote(openStream, (request) => request.headTimeoutMs, clock, note),
    warn,
    apiUrl: settings.text("api-url"),
    allowInsecure: settings.isOn("allow-insecure"),
    profile: settings.getChoice(),
    token: env.KAY_TOKEN?.trim() || undefined,
    credentials: (): CredentialsOptions => ({
      folder: paths.config,
      profile: settings.profile,
      preference: settings.text("credentials") as CredentialsOptions["preference"],
      keychain: ports.keychain,
      clock,
      warn,
      processes,
      platform: ports.platform,
      random,
    }),
    getEmbeddedPorts: (): EmbeddedPorts => ({
      folder: paths.state(),
      build: ports.build,
      env,
      shaping: getShapingSettings(settings),
      clock,
      signal: ports.signal,
      processes,
      send,
      note,
      spawn: (log) => ports.spawnBackend(log, settings.profile),
    }),
    openCompletionCache: (backend) =>
      openCompletionCache({ state: paths.state, profile: settings.profile, backend, now: clock.now }, () =>
        Buffer.from(random(6)).toString("hex"),
      ),
  };
}

/**
 * Returns the settings that shape a backend; the environment counts separately. A model is read for each answer from
 * the profile that started the backend, so that profile counts and the model does not.
 */
export function getShapingSettings(settings: Settings): Record<string, unknown> {
  const overrides = settings.list().filter(({ source }) => source === "profile");
  const shaping = overrides.filter(({ key }) => SHAPING.test(key)).map(({ key, value }) => [key, value]);
  const profile = overrides.some(({ key }) => key === "model") ? { profile: settings.profile } : {};
  return { ...Object.fromEntries(shaping), ...profile };
}

/** How long a request may take before kay mentions it, in ms. */
const SLOW_MS = 10_000;

/** Mentions slow changes and questions. Polls are silent by design. */
function withSlowNote<Request extends Pick<Outgoing, "method" | "url">, Answer>(
  way: (request: Request) => Promise<Answer>,
  getLimit: (request: Request) => number,
  clock: Timer,
  note: (text: string) => void,
): (request: Request) => Promise<Answer> {
  return async (request) => {
    if (request.method === "GET" || getLimit(request) <= SLOW_MS) return way(request);
    const controller = new AbortController();
    void clock.sleep(SLOW_MS, controller.signal).then(
      () =>
        controller.signal.aborted ||
        note(`${new URL(request.url).origin} has not answered yet. Press Ctrl+C to cancel.`),
      () => {},
    );
    return way(request).finally(() => controller.abort());
  };
}
