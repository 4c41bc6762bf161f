import type { CredentialsOptions } from "#client/credentials/create";
import type { EmbeddedPorts } from "#client/embedded/embedded";
import type { Paths } from "#client/paths";
import type { Settings } from "#client/settings/settings";
import { openCompletionCache } from "../completion/cache.ts";
import type { CliPorts } from "../ports.ts";
import type { HandlePorts } from "./open.ts";

/** Settings whose change requires a new local backend: everything about services' clients. */
const SHAPING = /\.client-(id|secret)$|^kyg\./;

/** Builds the ports of a backend handle from the settings. */
export function createHandlePorts(
  world: CliPorts,
  paths: Paths,
  settings: Settings,
  warn: (message: string) => void,
  note: (text: string) => void,
): HandlePorts {
  const { env, clock, random, send, openStream, version, processes } = world;
  return {
    version,
    clock,
    random,
    send,
    openStream,
    warn,
    apiUrl: settings.text("api-url"),
    allowInsecure: settings.isOn("allow-insecure"),
    profile: settings.getChoice(),
    token: env.KAY_TOKEN?.trim() || undefined,
    credentials: (): CredentialsOptions => ({
      folder: paths.config,
      profile: settings.profile,
      preference: settings.text("credentials") as CredentialsOptions["preference"],
      keychain: world.keychain,
      clock,
      warn,
      processes,
      platform: world.platform,
      random,
    }),
    getEmbeddedPorts: (): EmbeddedPorts => ({
      folder: paths.state(),
      build: world.build,
      env,
      shaping: getShapingSettings(settings),
      clock,
      signal: world.signal,
      processes,
      send,
      note,
      spawn: (log) => world.spawnBackend(log, settings.profile),
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
  const own = settings.list().filter(({ source }) => source === "profile");
  const shaping = own.filter(({ key }) => SHAPING.test(key)).map(({ key, value }) => [key, value]);
  const profile = own.some(({ key }) => key === "model") ? { profile: settings.profile } : {};
  return { ...Object.fromEntries(shaping), ...profile };
}
