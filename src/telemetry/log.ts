import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "#net/ports";
import { REDACTED, redactSecrets } from "#protocol/redact";

/** Ids that belong to every line of the log that is written while something is done. */
export type LogFields = { request?: string; generation?: string; conversation?: string; node?: number; trace?: string };

const fields = new AsyncLocalStorage<LogFields>();

/** Do something of which each line of the log tells these ids, and no others. */
export function withLogFields<T>(these: LogFields, work: () => T): T {
  return fields.run(these, work);
}

/** Those of what is done now. */
function getLogFields(): LogFields {
  return fields.getStore() ?? {};
}

/** From the least to the gravest. */
export const LEVELS = ["debug", "info", "warn", "error"] as const;

/** How much is logged: the level and everything graver. */
export type LogLevel = (typeof LEVELS)[number];

/**
 * A structured log of JSON lines (`time`, `level`, `event`, the ids of what is done, fields). Whatever looks like a secret, by its name or by its form, is
 * written as `[redacted]`: this is the second net, callers do not hand secrets over in the first place.
 *
 * @param write takes one whole line, newline included
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
    write(`${JSON.stringify(line)}\n`);
  };
}

const SECRET_NAME =
  /token|secret|authorization|cookie|passw|credential|verifier|challenge|prompt|sealed|(api|private|signing|sealing)_?key|^(code|state|session_id|kaysession)$/i;

/** Values under these names that are words of the protocol, not secrets: error codes, states of a row. */
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
  const closedVocabulary = /^(code|state)$/i.test(name);
  return !(closedVocabulary && typeof value === "string" && value.length <= 40 && PLAIN_WORD.test(value));
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

/** Forms that people write about, too, so that they are taken out of logs alone: headers with secrets, and keys in JSON. */
const FORMS: [RegExp, string][] = [
  [/\b((?:set-)?cookie\s*:\s*)[^\r\n"]+/gi, `$1${REDACTED}`],
  [
    /\b((?:kay-local-secret|[\w-]*api-key|(?:proxy-)?authorization)\s*:\s*)(?!Bearer|Basic)[^\s"',;]+/gi,
    `$1${REDACTED}`,
  ],
  [/(["'](?:[\w-]*[_-])?key["']\s*:\s*["'])[^"']+/gi, `$1${REDACTED}`],
];

/** Digests and random ids: in a log nobody needs them. */
const HEX = /\b[0-9a-f]{32,}\b/gi;

function redactText(text: string): string {
  const short = text.length > 8000 ? `${text.slice(0, 8000)}…` : text;
  return FORMS.reduce((rest, [form, instead]) => rest.replace(form, instead), redactSecrets(short)).replace(
    HEX,
    REDACTED,
  );
}

/**
 * One line of the structured log. Fields pass the redaction of `log.ts`; tokens, codes, verifiers and prompts are never given to it.
 */
export type Log = (level: "debug" | "info" | "warn" | "error", event: string, fields?: Record<string, unknown>) => void;
