import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "#net/ports";
import { REDACTED, redactSecrets } from "#protocol/redact";

/** IDs added to every log line written within one scope of work. */
export type LogFields = { request?: string; generation?: string; conversation?: string; node?: number; trace?: string };

const fields = new AsyncLocalStorage<LogFields>();

/** Runs `work` with these IDs on each of its log lines, replacing the IDs of the enclosing scope. */
export function withLogFields<T>(ids: LogFields, work: () => T): T {
  return fields.run(ids, work);
}

function getLogFields(): LogFields {
  return fields.getStore() ?? {};
}

/** Ordered from the least to the most severe. */
export const LEVELS = ["debug", "info", "warn", "error"] as const;

/** Threshold: lines of this level and above are written. */
export type LogLevel = (typeof LEVELS)[number];

/**
 * Creates a logger that writes JSON lines (`time`, `level`, `event`, the IDs of the current scope, fields). Anything
 * that looks like a secret, by its name or its form, becomes `[redacted]`. This is a second safety net: callers must
 * not pass secrets in the first place.
 *
 * @param write receives one whole line, including the newline
 */
export function createLog(write: (line: string) => void, options: { level: LogLevel; clock: Clock }): Log {
  const least = LEVELS.indexOf(options.level);
  return (level, event, fields = {}) => {
    if (LEVELS.indexOf(level) < least) return;
    const line = {
      time: new Date(options.clock.now()).toISOString(),
      level,
      event,
      ...getLogFields(),
      ...redactFields(fields, 0),
    };
    write(`${escapeControls(JSON.stringify(line))}\n`);
  };
}

/**
 * Escapes characters that JSON leaves unescaped but a terminal would interpret: DEL, C1 controls, and marks that are
 * invisible or change the reading direction.
 */
function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const SECRET_NAME =
  /token|secret|authorization|cookie|passw|credential|verifier|challenge|prompt|sealed|(api|private|signing|sealing)_?key|^(code|state|session_id|kaysession)$/i;

/** Values that are protocol constants, not secrets: error codes and row states. */
const PLAIN_WORD = /^[A-Za-z]+(_[A-Za-z]+)*$/;
const DEPTH = 6;

function redactFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isSecret(name, value) ? REDACTED : redact(value, depth + 1)]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  if (!SECRET_NAME.test(name) || value === null || value === undefined) return false;
  if (typeof value === "number" || typeof value === "boolean") return false;
  const isCodeOrState = /^(code|state)$/i.test(name);
  return !(isCodeOrState && typeof value === "string" && value.length <= 40 && PLAIN_WORD.test(value));
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEPTH) return "[deep]";
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  return redactFields(value as Record<string, unknown>, depth);
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  const code = (error as { code?: unknown }).code;
  return {
    name: error.name,
    message: redactText(error.message),
    ...(typeof code === "string" ? { code } : {}),
    ...(error.stack ? { stack: redactText(error.stack) } : {}),
    ...(error.cause !== undefined && depth < DEPTH ? { cause: redact(error.cause, depth + 1) } : {}),
  };
}

/** Redacted in logs only, because users also write about them: headers with secrets, and keys in JSON. */
const FORMS: [RegExp, string][] = [
  [/\b((?:set-)?cookie\s*:\s*)[^\r\n"]+/gi, `$1${REDACTED}`],
  [/((?:kay-local-secret|api-key|authorization)\s*:\s*)(?!Bearer|Basic)[^\s"',;]+/gi, `$1${REDACTED}`],
  [/(["'](?:[\w-]*[_-])?key["']\s*:\s*["'])[^"']+/gi, `$1${REDACTED}`],
];

/** Digests and random IDs have no use in a log. */
const HEX = /\b[0-9a-f]{32,}\b/gi;

function redactText(text: string): string {
  const truncated = text.length > 8000 ? `${text.slice(0, 8000)}…` : text;
  return FORMS.reduce(
    (result, [form, replacement]) => result.replace(form, replacement),
    redactSecrets(truncated),
  ).replace(HEX, REDACTED);
}

/**
 * Writes one line of the structured log. Fields are redacted, but callers must never pass tokens, codes, verifiers or
 * prompts.
 */
export type Log = (level: "debug" | "info" | "warn" | "error", event: string, fields?: Record<string, unknown>) => void;
