import type { StreamPart } from "#protocol/events";
import { appendMessages, findLastMessage } from "../store/conversations.ts";
import { changeGeneration, changeGenerationSql, type StoredGeneration } from "../store/generations.ts";
import type { DbConnection } from "../store/schema.ts";
import { toStatusPart } from "./end.ts";
import { type GenerationRecord, toUserMessage } from "./generation-record.ts";
import type { ClaimedGeneration } from "./work.ts";

/**
 * The first time: the person's message joins the conversation. Later: it runs again, and whoever watches is told. From here on `wake_at` says
 * that something came which was not looked at.
 */
export async function beginGeneration({ ports, row, writer, options }: ClaimedGeneration): Promise<void> {
  if (options.seen !== undefined) {
    if (row.status === "running" && row.wake_at === null) return;
    const parts = row.status === "running" ? [] : [toStatusPart(row, "running")];
    const running = { status: "running", wake_at: null } as const;
    if (!options.approved) return await writer.commit(parts, [changeGenerationSql(running)]);
    return await writer.commit(parts, async (tx) => {
      await noteConfirmation(tx, row, options, ports.clock.now());
      await changeGeneration(tx, row.id, running);
    });
  }
  const { conversation_id: conversation, id: generationId } = row;
  const now = ports.clock.now();
  const parts: StreamPart[] = [
    { type: "data-user-message", data: { text: options.prompt, source: options.source } },
    {
      type: "start",
      messageId: generationId,
      messageMetadata: {
        session_id: conversation,
        generation_id: generationId,
        ...(options.bounds?.outputSchema ? { structured: true } : {}),
        ...(options.bounds?.dryRun ? { dry_run: true } : {}),
      },
    },
    toStatusPart(row, "running"),
  ];
  await writer.commit(parts, async (tx) => {
    const before = await findLastMessage(tx, conversation);
    const open = before !== undefined && before.role !== "assistant";
    const messages = [...(open ? [UNFINISHED] : []), toUserMessage(options)];
    options.seen = await appendMessages(tx, conversation, { messages, generationId, now });
    await changeGeneration(tx, generationId, { status: "running", options, wake_at: null });
  });
}

/** Something was said in between: the conversation says to which request the coming step belongs. */
async function noteConfirmation(
  tx: DbConnection,
  row: StoredGeneration,
  options: GenerationRecord,
  now: number,
): Promise<void> {
  const before = await findLastMessage(tx, row.conversation_id);
  if (before?.role !== "assistant") return;
  const messages = [{ role: "user" as const, content: `(Confirmed: ${options.prompt})` }];
  await appendMessages(tx, row.conversation_id, { messages, generationId: null, now });
}

/** A request that got no answer must not look open to the model when the next one comes. */
const UNFINISHED = {
  role: "assistant" as const,
  content: "(This request was not finished; nothing more is to be done for it.)",
};
