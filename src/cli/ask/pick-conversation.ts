import type { ConversationView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { createIdShortener } from "#protocol/short-id";
import type { Choice } from "#ui/picker/picker";
import { formatAge } from "#ui/text/local-time";
import { formatStatus } from "#ui/text/words";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { pickOne } from "../prompt/pick.ts";
import { formatTitle } from "./conversation.ts";

/** Most conversations to choose from. */
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
  return all.map((each) => {
    const status = each.status === "completed" ? "" : formatStatus(each.status);
    const note = [formatAge(each.updated_at, now), status, shorten(each.id)].filter(Boolean).join(" · ");
    return { value: each.id, label: formatTitle(each), note };
  });
}
