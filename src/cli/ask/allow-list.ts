import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { readTextFile } from "./text-file.ts";

/** Options of `kay ask` that limit what may be sent: nothing, or these calls without asking. */
export type AllowOptions = { dryRun?: boolean; allow?: string[]; allowFile?: string[] };

/** Maximum number of entries and length of one that a backend accepts. */
const MOST_ENTRIES = 50;
const LONGEST_ENTRY = 200;

/** Maximum size of a file with entries, in bytes. */
const MOST_BYTES = 64 * 1024;

/** Whether the user gave any of these options. */
export function hasAllowOptions({ dryRun, allow = [], allowFile = [] }: AllowOptions): boolean {
  return Boolean(dryRun) || allow.length + allowFile.length > 0;
}

/** Checks that the options can be combined. @throws Problem USAGE */
export function checkAllowOptions(options: AllowOptions & { confirm?: boolean }): void {
  if (!options.confirm || !hasAllowOptions(options)) return;
  if (options.dryRun) throw new Problem("USAGE", "Use either --dry-run or --confirm, not both.");
  throw new Problem("USAGE", "Use either --confirm or --allow, not both.");
}

/**
 * Reads the allowed calls as fields of the request. `--yes` allows no calls, because it was given before anyone saw
 * them.
 *
 * @throws Problem USAGE for an unreadable file or an invalid entry
 */
export async function readAllowList(
  kay: Kay,
  options: AllowOptions & { confirm?: boolean },
): Promise<Pick<AskRequest, "dry_run" | "allow">> {
  const fromFiles = await Promise.all((options.allowFile ?? []).map((file) => readEntries(kay, file)));
  const allow = [...new Set([...(options.allow ?? []).map((entry) => entry.trim()), ...fromFiles.flat()])];
  for (const entry of allow) checkEntry(entry);
  if (allow.length > MOST_ENTRIES)
    throw new Problem("USAGE", `--allow accepts at most ${MOST_ENTRIES} entries.`, { hint: "Remove some entries." });
  if (kay.flags.yes && !options.confirm && !hasAllowOptions(options)) kay.out.warn(YES);
  return { ...(options.dryRun ? { dry_run: true } : {}), ...(allow.length > 0 ? { allow } : {}) };
}

/** One entry per line. A `#` at the start of a line or after a space begins a comment. */
async function readEntries(kay: Kay, file: string): Promise<string[]> {
  const lines = (await readTextFile(kay, file, MOST_BYTES)).split(/\r?\n/);
  return lines
    .map((text) =>
      text
        .replace(/^\s*#.*$/, "")
        .replace(/\s#(\s.*)?$/, "")
        .trim(),
    )
    .filter(Boolean);
}

function checkEntry(entry: string): void {
  if (/^[^\s:]+(\s*:.*)?$/.test(entry) && entry.length <= LONGEST_ENTRY) return;
  throw new Problem("USAGE", `${JSON.stringify(toLine(entry).slice(0, 60))} is not a valid entry for --allow.`, {
    hint: "Specify a tool, or a tool and a target: slack.send_message:#ci",
  });
}

const YES = "--yes does not approve changes. Use --allow TOOL[:PLACE] to approve a call in advance.";

/** Limits of a request, with the backend feature that each one needs. The request field has the same name. */
const BOUNDS = {
  output_schema: "--output-schema",
  max_steps: "--max-steps",
  dry_run: "--dry-run",
  allow: "--allow",
  model: "--model",
  approval_timeout: "--approval-timeout",
  attachments: "attachments",
  typed: "the alias of a project",
} as const;

/** Names of features that differ from their field. */
const FEATURE_NAMES: Record<string, string> = { model: "ask_model", typed: "instructions" };

/**
 * Refuses limits that the backend or its agent server would ignore, because it could then do exactly what the limit
 * forbids.
 *
 * @throws Problem NOT_FOUND
 */
export async function checkLimitsSupported(link: BackendHandle, request: AskRequest): Promise<void> {
  const limits = (Object.keys(BOUNDS) as (keyof typeof BOUNDS)[]).filter((name) => request[name] !== undefined);
  if (limits.length === 0) return;
  const features = (await link.api.capabilities())?.features ?? [];
  const [missing] = limits.filter((name) => !features.includes(FEATURE_NAMES[name] ?? name));
  const option = missing === undefined ? undefined : BOUNDS[missing];
  if (option === undefined) return;
  if (features.includes("agent_stream")) throw createUnsupportedProblem(option);
  throw new Problem("NOT_FOUND", `This backend does not support ${option}, so nothing was sent.`, {
    hint: "Omit it, or use the local backend: `kay config unset api-url`.",
  });
}

function createUnsupportedProblem(option: string): Problem {
  const sentence = `This backend uses an agent server, which does not support ${option}, so nothing was sent.`;
  return new Problem("NOT_FOUND", sentence, {
    hint: `Omit ${option}, or use a backend without an agent server (without KAY_AGENT_URL).`,
  });
}
