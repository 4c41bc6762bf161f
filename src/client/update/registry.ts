import * as z from "zod/mini";
import type { Send } from "#net/ports";

/** What a package says of itself, as package.json and the registry have it. */
export type Manifest = { version: string; bin: unknown; optionalDependencies: unknown };

export type RegistryPorts = {
  send: Send;
  env: Record<string, string | undefined>;
  /** Version of this Node. */
  node: string;
};

/**
 * Ask the registry for a version that is newer than the one that runs. The only thing sent is the name `kay`, in the path.
 *
 * The name may be another product's there. A registry that does not know the version that runs, with the same programs and the same native
 * packages, is not where it came from, and announces nothing. Nor does a version that this Node is too old for, that was withdrawn, or
 * that is unfinished (unless an unfinished one runs).
 *
 * @returns null where there is none, or where it cannot be told: nobody waits for this, and nobody hears of its faults
 */
export async function fetchNewerVersion(running: Manifest, { send, env, node }: RegistryPorts): Promise<string | null> {
  try {
    const headers = { accept: "application/vnd.npm.install-v1+json", "user-agent": "kay" };
    const { status, body } = await send({ method: "GET", url: `${getRegistry(env)}kay`, headers, timeoutMs: LIMIT_MS });
    if (status !== 200) return null;
    const { versions, "dist-tags": tags } = Packument.parse(JSON.parse(body));
    const [own, latest] = [ownProperty(versions, running.version), ownProperty(versions, tags.latest)];
    if (!own || !latest || latest.deprecated || !isSame(own, running)) return null;
    return (await suits(tags.latest, running.version, latest.engines?.node, node)) ? tags.latest : null;
  } catch {
    return null;
  }
}

const LIMIT_MS = 10_000;

/** Digits and dots, as semver.org has it: nothing that a terminal could obey. */
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

/** The registry that npm is set to by the environment, as in npm's own scripts; else the public one. */
function getRegistry(env: RegistryPorts["env"]): string {
  const set = env.npm_config_registry ?? env.NPM_CONFIG_REGISTRY;
  const url = new URL(set || "https://registry.npmjs.org/");
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) throw new Error("not a registry to ask");
  return url.href.replace(/\/*$/, "/");
}

function ownProperty<T>(of: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function isSame(published: Partial<Manifest>, running: Manifest): boolean {
  return (
    stable(published.bin) === stable(running.bin) &&
    stable(published.optionalDependencies) === stable(running.optionalDependencies)
  );
}

function stable(value: unknown): string {
  return JSON.stringify(value && typeof value === "object" ? Object.entries(value).sort() : value);
}

async function suits(latest: string, running: string, wanted: string | undefined, node: string): Promise<boolean> {
  const [{ default: gt }, { default: satisfies }] = await Promise.all([
    import("semver/functions/gt.js"),
    import("semver/functions/satisfies.js"),
  ]);
  const isFinished = !latest.includes("-") || running.includes("-");
  return isFinished && gt(latest, running) && (!wanted || satisfies(node, wanted));
}
