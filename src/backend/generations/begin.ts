import type { ModelMessage } from "ai";
import type { StreamPart } from "#protocol/events";
import { appendMessages, findLastMessage } from "../store/conversations.ts";
import type { GenerationRequest } from "../store/generation-state.ts";
import { changeGeneration } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import { toStatusPart } from "./end.ts";
import { toUserMessage } from "./request.ts";
import type { ClaimedGeneration, ClaimedRow } from "./work.ts";

/**
 * On the first run, adds the user's message to the conversation. On later runs, notifies followers that the generation
 * runs again. From here on, `wake_at` marks input that was not read yet.
 */
export async function beginGeneration(claimed: ClaimedGeneration): Promise<void> {
  const { ports, row, request, writer } = claimed;
  const { historyLength, approval } = claimed.progress();
  if (historyLength !== null) {
    if (row.status === "running" && row.wake_at === null) return;
    const parts = row.status === "running" ? [] : [toStatusPart(row, "running")];
    const change = { status: "running", wake_at: null } as const;
    if (approval === "none") return await writer.commit(parts, { generation: change });
    return await writer.commit(parts, async (tx) => {
      await noteConfirmation(tx, claimed, ports.clock.now());
      await changeGeneration(tx, row.id, change);
    });
  }
  const { conversation_id: conversation, id: generationId } = row;
  const now = ports.clock.now();
  await writer.commit(toFirstParts(row, request), async (tx) => {
    const lastMessage = await findLastMessage(tx, conversation);
    const messages = toFirstMessages(request, lastMessage === undefined || lastMessage.role === "assistant");
    const historyLength = await appendMessages(tx, conversation, { messages, generationId, now });
    await claimed.advance({ type: "began", historyLength }, tx, { status: "running", wake_at: null });
  });
}

/**
 * Returns the first messages of a generation.
 *
 * @param isAnswered whether the message before is an answer
 */
export function toFirstMessages(request: GenerationRequest, isAnswered: boolean): ModelMessage[] {
  return [...(isAnswered ? [] : [UNFINISHED]), toUserMessage(request)];
}

/** Returns the first parts of a generation. */
export function toFirstParts(
  row: Pick<ClaimedRow, "id" | "conversation_id">,
  { prompt, source, limits, attachments }: GenerationRequest,
): StreamPart[] {
  return [
    { type: "data-user-message", data: { text: prompt, source, ...(attachments ? { attachments } : {}) } },
    {
      type: "start",
      messageId: row.id,
      messageMetadata: {
        session_id: row.conversation_id,
        generation_id: row.id,
        ...(limits.outputSchema ? { structured: true } : {}),
        ...(limits.dryRun ? { dry_run: true } : {}),
      },
    },
    toStatusPart(row, "running"),
  ];
}

/** Records which request the next step belongs to, if other messages came in between. */
async function noteConfirmation(tx: DbConnection, { row, request }: ClaimedGeneration, now: number): Promise<void> {
  const lastMessage = await findLastMessage(tx, row.conversation_id);
  if (lastMessage?.role !== "assistant") return;
  const messages = [{ role: "user" as const, content: `(Confirmed: ${request.typed ?? request.prompt})` }];
  await appendMessages(tx, row.conversation_id, { messages, generationId: null, now });
}

/** A request without an answer must not look open to the model when the next one arrives. */
const UNFINISHED = {
  role: "assistant" as const,
  content: "(This request was not finished. Do nothing more for it.)",
};
