import { accessSync, appendFileSync, constants } from "node:fs";
import { networkInterfaces } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "vitest";

/** Debian's package of each program, if its name differs. */
const packages: Record<string, string> = {
  "dbus-daemon": "dbus",
  "gnome-keyring-daemon": "gnome-keyring",
  "dbus-run-session": "dbus",
  "secret-tool": "libsecret-tools",
};

/**
 * `test` for tests that need these programs. If one is missing, they are skipped, and the run names the program and its
 * Debian package once. In CI, where .ci/run installs all of them, that is a failure.
 *
 * @example needs("chromium")("the consent page has Allow and Deny", async () => { … });
 */
export function needs(...programs: string[]): typeof test | typeof test.skip {
  const missingPrograms = programs.filter((program) => !isInstalled(program));
  if (missingPrograms.length === 0) return test;
  const lines = missingPrograms.map(
    (program) => `Skipped what needs ${program}: apt-get install ${packages[program] ?? program}\n`,
  );
  if (process.env.CI) throw new Error(lines.join(""));
  if (process.env.KAY_TEST_MISSING) appendFileSync(process.env.KAY_TEST_MISSING, lines.join(""));
  return test.skip;
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/** `test` for tests that need IPv6; skipped without it, because no package provides it. */
export function needsIpv6(): typeof test | typeof test.skip {
  const hasIt = Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ address }) => address === "::1"),
  );
  if (hasIt) return test;
  const line = "Skipped what needs IPv6: the loopback interface has no ::1\n";
  if (process.env.KAY_TEST_MISSING) appendFileSync(process.env.KAY_TEST_MISSING, line);
  return test.skip;
}
