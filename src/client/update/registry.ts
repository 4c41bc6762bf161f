import { join } from "node:path";
import * as z from "zod/mini";
import { ensureCredentialFolder } from "#files/credential-folder";
import { readFileIfExists, replaceFile } from "#files/replace-file";
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
    const [installed, latest] = [getOwnProperty(versions, running.version), getOwnProperty(versions, tags.latest)];
    if (!installed || !latest || latest.deprecated || !isSamePackage(installed, running)) return null;
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

async function isUpgrade(latest: string, running: string, version: string | undefined, node: string): Promise<boolean> {
  const [{ default: gt }, { default: satisfies }] = await Promise.all([
    import("semver/functions/gt.js"),
    import("semver/functions/satisfies.js"),
  ]);
  const isFinished = !latest.includes("-") || running.includes("-");
  return isFinished && gt(latest, running) && (!version || satisfies(node, version));
}

/** Known newer versions (`update.json` in the state folder). Times are in ms since 1970. */
export type UpdateRecord = z.infer<typeof UpdateRecord>;

const UpdateRecord = z.object({
  /** When the registry was last queried, successfully or not. */
  looked: z.number(),
  /** The version that queried it. */
  running: z.string(),
  newer: z.nullable(Version),
  /** When the user was last notified. */
  told: z.optional(z.number()),
});

/** Reads the record; null if it is missing or invalid. */
export async function readUpdateRecord(folder: string): Promise<UpdateRecord | null> {
  try {
    return UpdateRecord.parse(JSON.parse(String(readFileIfExists(join(folder, NAME)))));
  } catch {
    return null;
  }
}

/** Writes the record. @throws Problem STORE_UNREADABLE when that fails */
export async function writeUpdateRecord(folder: string, record: UpdateRecord, unique: string): Promise<void> {
  await ensureCredentialFolder(folder);
  await replaceFile(join(folder, NAME), JSON.stringify(record), unique);
}

const NAME = "update.json";

/** Queries the registry and updates the record, which the caller has written before. */
export async function refreshUpdateRecord(
  running: Manifest,
  ports: RegistryPorts & { folder: string; unique: string },
): Promise<void> {
  const newer = await fetchNewerVersion(running, ports);
  const record = await readUpdateRecord(ports.folder);
  if (record) await writeUpdateRecord(ports.folder, { ...record, newer }, ports.unique);
}

/**
 * Returns the command that upgrades this kay, based on its location; null if it cannot be upgraded, such as in npx or
 * the repository.
 *
 * @param file the bundle's `main.js`, with links resolved
 * @param exists whether a file or folder exists
 */
export function findUpgradeCommand(file: string, exists: (path: string) => boolean): string | null {
  const path = file.replaceAll("\\", "/");
  const [root] = /^.*(?=\/dist\/)/.exec(path) ?? [];
  if (root === undefined || !root.endsWith("/node_modules/kay") || exists(`${root}/src/main.ts`)) return null;
  const installer = INSTALLERS.find(([pattern]) => pattern.test(root));
  if (installer) return installer[1];
  const project = root.slice(0, -"/node_modules/kay".length);
  return exists(`${project}/package.json`) ? `npm install kay@latest` : "npm install -g kay@latest";
}

/** Locations of package managers; the first match counts. Null if it is not an installation. */
const INSTALLERS: [RegExp, string | null][] = [
  [/\/_npx\//, null],
  [/\/dlx(-[^/]*)?\//, null],
  [/\/bunx-/, null],
  [/\/Cellar\/kay\//, "brew upgrade kay"],
  [/\/\.volta\//, "volta install kay@latest"],
  [/\/\.bun\/install\/global\//, "bun add -g kay@latest"],
  [/\/[Yy]arn\/([^/]+\/)?global\//, "yarn global add kay@latest"],
  [/\/pnpm\/(.*\/)?global\/|\/pnpm-global\//, "pnpm add -g kay@latest"],
  [/\/\.pnpm\//, "pnpm update kay --latest"],
];
