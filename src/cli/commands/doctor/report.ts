import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { linkNewFile } from "#files/replace-file";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { CheckReport } from "./check.ts";
import type { CheckContext } from "./context.ts";
import { redactEnvironment } from "./redact.ts";

/** Number of bytes taken from the end of the backend's log. */
const LOG_BYTES = 64 * 1024;

/** Collects everything that helps with a bug report, without secrets. */
export async function buildReport(facts: CheckContext, reports: CheckReport[]): Promise<Record<string, unknown>> {
  const { kay, machine } = facts;
  const settings = await facts.settings().then(
    (settings) =>
      settings.list().map(({ key, value, shown, secret, source, where }) => ({
        key,
        value: (secret ? shown : value) ?? null,
        source,
        where,
      })),
    () => [],
  );
  const { build, node, execPath, launcher, platform, arch } = machine;
  const document = {
    kay: kay.version,
    made_at: new Date(kay.clock.now()).toISOString(),
    ok: reports.every(({ state }) => state !== "failed"),
    checks: reports,
    runtime: { build, node, execPath, launcher, platform, arch },
    settings: settings.filter(({ value, source }) => value !== null || source !== "default"),
    environment: redactEnvironment(kay.env),
    backend_log: await readLogTail(join(machine.paths.state(), "backend.log")),
  };
  return redact(document, facts.scrub) as Record<string, unknown>;
}

/**
 * Writes a bundle to a file that only this user can read, atomically, and never replaces an existing file.
 *
 * @param file null for `kay-doctor-<time>.json` in the current folder
 * @returns its absolute path
 * @throws Problem USAGE if it cannot be written
 */
export async function writeReport(
  { kay }: CheckContext,
  file: string | null,
  bundle: Record<string, unknown>,
): Promise<string> {
  const path = resolve(kay.cwd, file ?? `kay-doctor-${formatStamp(kay.clock.now())}.json`);
  const passing = join(dirname(path), `.kay-doctor-${randomUUID()}`);
  try {
    const handle = await open(passing, "wx", 0o600);
    await handle.writeFile(`${JSON.stringify(bundle, null, 2)}\n`);
    await handle.sync();
    await handle.close();
    if (!(await linkNewFile(passing, path))) throw createWriteProblem(path, "already exists");
    return path;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw createWriteProblem(path, `cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown"})`, error);
  } finally {
    await rm(passing, { force: true });
  }
}

function createWriteProblem(path: string, reason: string, cause?: unknown): Problem {
  return new Problem("USAGE", `${toLine(path)} ${reason}.`, {
    hint: "Choose another file with `--bundle FILE`.",
    cause,
  });
}

function formatStamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
}

/** Returns the last lines of the log, without a first line that is cut. */
async function readLogTail(path: string): Promise<string[]> {
  const handle = await open(path, "r").catch(() => null);
  if (!handle) return [];
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - LOG_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n");
    return lines.slice(start > 0 ? 1 : 0).filter((line) => line !== "");
  } finally {
    await handle.close();
  }
}

function redact(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map((value) => redact(value, scrub));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redact(inner, scrub)]));
}
