import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";

/** Most conversations that a title is looked for among. */
const LOOKED_AT = 100;

/**
 * The conversation that a command means: the newest, or one by its id or title; undefined for a new one.
 *
 * @throws Problem SESSION_NOT_FOUND
 */
export async function findConversationId(
  link: BackendHandle,
  options: { continue?: boolean; resume?: string },
): Promise<string | undefined> {
  const { resume } = options;
  if (resume === undefined && !options.continue) return undefined;
  if (resume !== undefined && /^session_\S+$/.test(resume)) return resume;
  const named = resume !== undefined && resume !== "latest";
  const { data } = await link.api.sessions({ page: 1, limit: named ? LOOKED_AT : 1 });
  const wanted = resume?.toLowerCase();
  const found = named ? data.find(({ title }) => title?.toLowerCase() === wanted) : data[0];
  if (found) return found.id;
  const hint = "Run `kay sessions list` to see every one.";
  if (named)
    throw new Problem("SESSION_NOT_FOUND", `No conversation matches ${JSON.stringify(toLine(resume))}.`, { hint });
  throw new Problem("SESSION_NOT_FOUND", "You have no conversations yet.", { hint: 'Begin one with `kay ask "…"`.' });
}
