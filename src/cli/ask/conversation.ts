import type { ConversationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { createIdShortener } from "#protocol/short-id";
import type { Choice } from "#ui/picker/picker";
import { formatAge } from "#ui/text/local-time";
import { formatStatus, toLine } from "#ui/text/words";
import { findById } from "../backend/find-by-id.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { pickOne } from "../prompt/pick.ts";

/** Maximum number of conversations to search by title or ID, and the number per request. */
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
  const all = await listConversations(
    link,
    (conversation) => conversation.id === resume || conversation.title?.toLowerCase() === title,
  );
  const conversation =
    all.find((conversation) => conversation.title?.toLowerCase() === title) ?? findById(resume, all, formatTitle);
  if (conversation) return conversation.id;
  if (/^session_\d+_\w+$/.test(resume)) return resume;
  throw new Problem("SESSION_NOT_FOUND", `No conversation matches ${JSON.stringify(toLine(resume))}.`, {
    hint: "Run `kay sessions list` to list them.",
  });
}

const WHOLE_ID = /^session_\d+_[0-9a-f]{32}$/;

/** Returns the title of a conversation for display. */
function formatTitle({ title }: ConversationView): string {
  return title ? toLine(title) : "(no title)";
}

/** Loads the latest conversations, page by page, until the named one is found. */
async function listConversations(
  link: BackendHandle,
  isWanted: (conversation: ConversationView) => boolean,
): Promise<ConversationView[]> {
  const all: ConversationView[] = [];
  for (let page = 1; all.length < LOOKED_AT; page += 1) {
    const { data, has_more } = await link.api.sessions({ page, limit: PAGE });
    all.push(...data);
    if (!has_more || data.length === 0 || data.some(isWanted)) break;
  }
  return all;
}

/** Maximum number of conversations to choose from. */
export const MOST_LISTED = 100;

export const WHICH_CONVERSATION = "Which conversation?";

/**
 * Lets the user choose one of the newest conversations.
 *
 * @throws Problem SESSION_NOT_FOUND without any, CANCELLED when none is chosen
 */
export async function pickConversation(kay: Kay, link: BackendHandle): Promise<string> {
  const { data } = await link.api.sessions({ page: 1, limit: MOST_LISTED });
  if (data.length > 0) return pickOne(kay, WHICH_CONVERSATION, toConversationChoices(data, kay.clock.now()));
  throw new Problem("SESSION_NOT_FOUND", "You have no conversations yet.", { hint: 'Start one with `kay ask "…"`.' });
}

/** Converts conversations to choices: the title, and the age, the status and the short ID. `now` is in ms since 1970. */
export function toConversationChoices(all: readonly ConversationView[], now: number): Choice[] {
  const shorten = createIdShortener(all.map(({ id }) => id));
  return all.map((conversation) => {
    const status = conversation.status === "completed" ? "" : formatStatus(conversation.status);
    const note = [formatAge(conversation.updated_at, now), status, shorten(conversation.id)]
      .filter(Boolean)
      .join(" · ");
    return { value: conversation.id, label: formatTitle(conversation), note };
  });
}
