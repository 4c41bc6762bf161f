import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { BackendHandle } from "../kay.ts";

/** What a request may be bound to, and what a backend that knows it calls it in its features; the field of the request is the same. */
const BOUNDS = {
  output_schema: "--output-schema",
  max_steps: "--max-steps",
  dry_run: "--dry-run",
  allow: "--allow",
} as const;

/**
 * A backend that knows a bound nothing of would ignore it, and what it then does could be what was to be kept from happening: it is not
 * asked at all. Nor is an agent server, which does as it likes.
 *
 * @throws Problem NOT_FOUND
 */
export async function checkLimitsSupported(link: BackendHandle, request: AskRequest): Promise<void> {
  const wanted = (Object.keys(BOUNDS) as (keyof typeof BOUNDS)[]).filter((name) => request[name] !== undefined);
  if (wanted.length === 0) return;
  const features = (await link.api.capabilities())?.features ?? [];
  const [missing] = wanted.filter((name) => !features.includes(name));
  const option = missing === undefined ? undefined : BOUNDS[missing];
  if (option === undefined) return;
  if (features.includes("agent_stream")) throw elsewhere(option);
  throw new Problem("NOT_FOUND", `This backend knows nothing of ${option}, so it was not asked.`, {
    hint: "Ask without it, or use kay's own backend: `kay config unset api-url`.",
  });
}

function elsewhere(option: string): Problem {
  const sentence = `An agent server answers for this backend, and it cannot be held to ${option}, so it was not asked.`;
  return new Problem("NOT_FOUND", sentence, {
    hint: `Ask without ${option}, or ask a backend that answers by itself (one without KAY_AGENT_URL).`,
  });
}
