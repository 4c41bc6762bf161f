import type { ConversationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { findById } from "../backend/find-by-id.ts";
import type { BackendHandle } from "../backend/handle.ts";

/**
 * Maximum number of conversations that are searched for a title or the start of an ID, and how many one request
 * returns.
 */
const LOOKED_AT = 1_000;
const PAGE = 100;

/**
 * Finds the conversation that a command names: the latest, or one by its title, its ID or the start of it; undefined
 * for a new one.
 *
 * @throws Problem SESSION_NOT_FOUND, USAGE for the start of several IDs
 */
export async function findConversationId(
  link: BackendHandle,
  options: { continue?: boolean; resume?: string },
): Promise<string | undefined> {
  const { resume } = options;
  if (resume === undefined && !options.continue) return undefined;
  if (resume === undefined || resume === "latest") {
    const { data } = await link.api.sessions({ page: 1, limit: 1 });
    if (data[0]) return data[0].id;
    throw new Problem("SESSION_NOT_FOUND", "You have no conversations yet.", { hint: 'Start one with `kay ask "…"`.' });
  }
  if (WHOLE_ID.test(resume)) return resume;
  const title = resume.toLowerCase();
  const all = await listConversations(link, (each) => each.id === resume || each.title?.toLowerCase() === title);
  const found = all.find((each) => each.title?.toLowerCase() === title) ?? findById(resume, all, formatTitle);
  if (found) return found.id;
  if (/^session_\d+_\w+$/.test(resume)) return resume;
  throw new Problem("SESSION_NOT_FOUND", `No conversation matches ${JSON.stringify(toLine(resume))}.`, {
    hint: "Run `kay sessions list` to list them.",
  });
}

const WHOLE_ID = /^session_\d+_[0-9a-f]{32}$/;

/** Returns the title of a conversation for display. */
export function formatTitle({ title }: ConversationView): string {
  return title ? toLine(title) : "(no title)";
}

/** Loads the latest conversations, page by page, until the named one is found. */
async function listConversations(
  link: BackendHandle,
  isWanted: (each: ConversationView) => boolean,
): Promise<ConversationView[]> {
  const all: ConversationView[] = [];
  for (let page = 1; all.length < LOOKED_AT; page += 1) {
    const { data, has_more } = await link.api.sessions({ page, limit: PAGE });
    all.push(...data);
    if (!has_more || data.length === 0 || data.some(isWanted)) break;
  }
  return all;
}
