import type * as z from "zod/mini";
import { clean } from "#protocol/clean";

/** Largest answer of a service that is read, in bytes. */
const BODY_LIMIT = 8 * 1024 * 1024;

/** The body was larger than kay reads; thrown by {@link readBody} and worded by the caller. */
export class BodyTooLargeError extends Error {}

/** Reads a body up to a limit. @throws BodyTooLarge beyond it, and whatever the connection throws. */
export async function readBody(response: Response, limit = BODY_LIMIT): Promise<string> {
  if (response.status === 204 || response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > limit) throw new BodyTooLargeError();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** JSON with every string cleaned of control characters; `undefined` for an empty body, which is never parsed (case V09). */
export function parseJson(text: string): unknown {
  if (text.trim() === "") return undefined;
  return JSON.parse(text, (_, value: unknown) => (typeof value === "string" ? clean(value) : value));
}

/** What is wrong with an answer, as the end of a sentence ("issues.0.key is missing"), or its parsed value. */
export function parseAnswer<T>(schema: z.ZodMiniType<T>, value: unknown): { value: T } | { wrong: string } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  const where = issue?.path.length ? issue.path.map(String).join(".") : "the body";
  if (valueAt(value, issue?.path ?? []) === undefined) return { wrong: `${where} is missing` };
  return { wrong: issue?.code === "invalid_type" ? `${where} is not of type ${issue.expected}` : `${where} is wrong` };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined | null)?.[key], value);
}
