import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { shortenId } from "#protocol/short-id";
import type { BackendHandle } from "../backend/handle.ts";
import { formatProfileFlag } from "../backend/profile-flag.ts";
import { EXIT, type ExitCode } from "../command.ts";
import type { Kay } from "../kay.ts";
import { findConversationId } from "./conversation.ts";

/** Runs `kay ask --background`: prints the conversation's ID as soon as the backend has the request. */
export async function askInBackground(
  kay: Kay,
  link: BackendHandle,
  request: AskRequest,
  options: { queue?: boolean; continue?: boolean; resume?: string },
): Promise<ExitCode> {
  const session = await findConversationId(link, options);
  const started = await startInBackground(kay, link, {
    ...request,
    ...(session ? { session_id: session } : {}),
    ...(options.queue ? { when_busy: "queue" as const } : {}),
  });
  showBackground(kay, started);
  return EXIT.ok;
}

/** Prints the conversation of a request that runs without a follower, and how to follow it. */
export function showBackground(
  kay: Kay,
  { session_id, generation_id }: { session_id: string; generation_id: string },
): void {
  const writeFollow = (id: string) => `kay attach ${quoteShellWord(id)}${formatProfileFlag(kay.profile())}`;
  if (kay.flags.json)
    kay.out.writeJson({ status: "running", session_id, generation_id, follow: writeFollow(session_id) });
  else kay.out.writeLine(session_id);
  kay.out.writeProgress(
    `Running in the background. Follow it with \`${writeFollow(shortenId(session_id))}\`; \`kay pending\` lists its questions.`,
  );
}

/**
 * Starts a generation that runs without a follower.
 *
 * @throws Problem NOT_FOUND if the backend stops generations without followers
 */
export async function startInBackground(
  kay: Kay,
  { api }: BackendHandle,
  request: AskRequest,
): Promise<{ session_id: string; generation_id: string }> {
  const features = (await api.capabilities())?.features ?? [];
  if (!features.includes("background"))
    throw new Problem("NOT_FOUND", "This backend cannot run requests in the background, so nothing was sent.", {
      hint: "Omit --background.",
    });
  const { session_id, generation_id } = await api.ask({ ...request, background: true }, { signal: kay.signal });
  if (session_id && generation_id) return { session_id, generation_id };
  throw new Problem("BAD_ANSWER", "The backend did not return an ID for the request.");
}
