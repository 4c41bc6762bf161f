import { changeGeneration, notifyGeneration } from "../store/generations.ts";
import type { ClaimedGeneration } from "./work.ts";

/** Nothing is to be done for it now; whoever has a reason takes it again. */
export async function releaseRun({ row, writer }: Pick<ClaimedGeneration, "row" | "writer">): Promise<void> {
  await writer.commit([], (tx) => changeGeneration(tx, row.id, { node: null }));
}

/** This node ends; the generation goes on at another one, which is told, or when this one is back. */
export async function handOverRun({ row, writer }: Pick<ClaimedGeneration, "row" | "writer">): Promise<void> {
  await writer.commit([], async (tx) => {
    await changeGeneration(tx, row.id, { node: null });
    await notifyGeneration(tx, row.id);
  });
}
