import * as z from "zod/mini";
import type { Send } from "#net/ports";

/** Metadata of a package, as in package.json and the registry. */
export type Manifest = { version: string; bin: unknown; optionalDependencies: unknown };

export type RegistryPorts = {
  send: Send;
  env: Record<string, string | undefined>;
  /** Version of Node. */
  node: string;
};

/**
 * Queries the registry for a version newer than the running one. Sends only the name `kay`, in the path.
 *
 * The name may belong to another product there. A registry is ignored unless it has the running version with the same
 * programs and native packages. Versions that need a newer Node, are deprecated, or are prereleases (unless one is
 * running) are ignored too.
 *
 * @returns null if there is none or the query fails, which is never reported
 */
export async function fetchNewerVersion(running: Manifest, { send, env, node }: RegistryPorts): Promise<string | null> {
  try {
    const headers = { accept: "application/vnd.npm.install-v1+json", "user-agent": "kay" };
    const { status, body } = await send({ method: "GET", url: `${getRegistry(env)}kay`, headers, timeoutMs: LIMIT_MS });
    if (status !== 200) return null;
    const { versions, "dist-tags": tags } = Packument.parse(JSON.parse(body));
    const [own, latest] = [getOwnProperty(versions, running.version), getOwnProperty(versions, tags.latest)];
    if (!own || !latest || latest.deprecated || !isSamePackage(own, running)) return null;
    return (await isUpgrade(tags.latest, running.version, latest.engines?.node, node)) ? tags.latest : null;
  } catch {
    return null;
  }
}

const LIMIT_MS = 10_000;

/** Digits and dots as on semver.org, without characters that control a terminal. */
export const Version = z.string().check(z.maxLength(64), z.regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/));

const Packument = z.looseObject({
  name: z.literal("kay"),
  "dist-tags": z.looseObject({ latest: Version }),
  versions: z.record(
    z.string(),
    z.looseObject({
      bin: z.optional(z.unknown()),
      optionalDependencies: z.optional(z.unknown()),
      engines: z.optional(z.looseObject({ node: z.optional(z.string()) })),
      deprecated: z.optional(z.unknown()),
    }),
  ),
});

/** Returns the registry that npm's environment variables set, or the public one. */
function getRegistry(env: RegistryPorts["env"]): string {
  const set = env.npm_config_registry ?? env.NPM_CONFIG_REGISTRY;
  const url = new URL(set || "https://registry.npmjs.org/");
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) throw new Error("not a registry to ask");
  return url.href.replace(/(?<!\/)\/*$/, "/");
}

function getOwnProperty<T>(of: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function isSamePackage(published: Partial<Manifest>, running: Manifest): boolean {
  return (
    toStableText(published.bin) === toStableText(running.bin) &&
    toStableText(published.optionalDependencies) === toStableText(running.optionalDependencies)
  );
}

function toStableText(value: unknown): string {
  return JSON.stringify(value && typeof value === "object" ? Object.entries(value).sort() : value);
}

async function isUpgrade(latest: string, running: string, wanted: string | undefined, node: string): Promise<boolean> {
  const [{ default: gt }, { default: satisfies }] = await Promise.all([
    import("semver/functions/gt.js"),
    import("semver/functions/satisfies.js"),
  ]);
  const isFinished = !latest.includes("-") || running.includes("-");
  return isFinished && gt(latest, running) && (!wanted || satisfies(node, wanted));
}
