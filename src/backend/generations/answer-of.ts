import type { AskResponse } from "#protocol/ask";
import type { BackendPorts } from "../ports.ts";
import { listEvents } from "../store/events.ts";
import { findGeneration, type StoredGeneration } from "../store/generations.ts";
import { listPlannedCalls, listRunReceipts } from "./dry-run.ts";
import { readGenerationRecord } from "./generation-record.ts";

/** The answer of a generation, in the guide's object: undefined while it is under way. */
export async function loadAnswer(ports: Pick<BackendPorts, "db">, id: string): Promise<AskResponse | undefined> {
  const row = await findGeneration(ports.db, id);
  return row && row.finished_at !== null ? await getAnswer(ports, row) : undefined;
}

/** The answer of a generation that is over, in the guide's object: the text of its last step, or why there is none. */
async function getAnswer({ db }: Pick<BackendPorts, "db">, row: StoredGeneration): Promise<AskResponse> {
  const parts = (await listEvents(db, row.id)).map(({ part }) => part);
  const from = parts.findLastIndex(({ type }) => type === "start-step");
  const text = parts.slice(from + 1).flatMap((part) => {
    if (part.type === "text-delta") return [part.delta];
    return part.type === "text-end" ? ["\n\n"] : [];
  });
  const ids = { session_id: row.conversation_id, generation_id: row.id, receipts: await listRunReceipts(db, row) };
  const message = text.join("").trim();
  const last = parts.findLast((part) => part.type === "error" || part.type === "abort");
  if (last?.type === "error")
    return { status: "error", message: last.errorText, code: last.code, ...last.details, ...ids };
  if (last?.type === "abort")
    return { status: "error", message: last.reason ?? "It was cancelled.", code: "CANCELLED", ...ids };
  const { prompt, bounds } = readGenerationRecord(row);
  const output = parts.findLast((part) => part.type === "data-output")?.data;
  const planned = bounds?.dryRun ? { dry_run: true, plan: await listPlannedCalls(db, row.id) } : {};
  const data = { prompt, response: message, ...(output ? { output: output.value } : {}), ...planned };
  return { status: "completed", message, data, ...ids };
}
