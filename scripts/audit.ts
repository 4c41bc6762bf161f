import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import satisfies from "semver/functions/satisfies.js";

const root = fileURLToPath(new URL("../", import.meta.url));

/** A package with its version. */
type Package = { name: string; version: string };

/** One known vulnerability, as `npm audit --json` has it in `via`; a text names the package that has it. */
type Advisory = { title: string; url: string; severity: string; range: string };
type Report = { vulnerabilities?: Record<string, { via: (Advisory | string)[] }> };

/**
 * Asks npm's registry for known vulnerabilities, and reports those of packages that kay ships: the bundled ones of
 * `dist/sbom.cdx.json`, and the native ones that npm installs with it.
 *
 * @returns the exit code: 0 without any, 1 with some, 2 if the registry gave no report
 */
export async function audit(): Promise<number> {
  const { components } = JSON.parse(readFileSync(`${root}dist/sbom.cdx.json`, "utf8")) as { components: Package[] };
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const native = Object.entries<string>(optionalDependencies).map(([name, version]) => ({ name, version }));
  const shipped = [...components, ...native];
  const { stdout } = spawnSync("npm", ["audit", "--audit=true", "--json"], {
    cwd: root,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const found = listVulnerable(stdout, shipped);
  if (found === undefined) {
    process.stderr.write("✗ The registry gave no report, so nothing was checked.\n");
    return 2;
  }
  for (const line of found) process.stderr.write(`✗ ${line}\n`);
  if (found.length === 0) process.stdout.write(`No known vulnerability in ${shipped.length} packages.\n`);
  return found.length === 0 ? 0 : 1;
}

/**
 * Lists the known vulnerabilities of shipped packages, a line each.
 *
 * @param report what `npm audit --json` prints
 * @returns undefined if it is no report
 */
export function listVulnerable(report: string, shipped: Package[]): string[] | undefined {
  let vulnerabilities: Report["vulnerabilities"];
  try {
    ({ vulnerabilities } = JSON.parse(report) as Report);
  } catch {
    return undefined;
  }
  return (
    vulnerabilities &&
    shipped.flatMap(({ name, version }) =>
      (vulnerabilities[name]?.via ?? []).flatMap((one) =>
        typeof one !== "string" && satisfies(version, one.range, { includePrerelease: true })
          ? [`${name} ${version}: ${one.severity}, ${one.title} (${one.url})`]
          : [],
      ),
    )
  );
}
