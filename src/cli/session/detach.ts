import type { Session } from "#ui/session/state";
import { isFinished } from "#ui/session/turn";
import { startInBackground } from "../ask/background.ts";
import { readAskChoices } from "../ask/choices.ts";
import { readPrompt } from "../ask/read-prompt.ts";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";

/** Lets the running request and the queued ones run without this terminal. @returns false if nothing is running */
export async function detachSession(kay: Kay, link: BackendHandle, { view, queue }: Session): Promise<boolean> {
  const { generation_id, session_id } = view;
  if (isFinished(view) || generation_id === undefined) return false;
  await link.api.detachGeneration(generation_id);
  for (const text of queue) {
    const request = { ...(await readPrompt(kay, link, text)), ...(await readAskChoices(kay, link)) };
    await startInBackground(kay, link, { ...request, session_id, when_busy: "queue" });
  }
  return true;
}
