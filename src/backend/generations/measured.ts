import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generations.ts";

/** Tell the operator that a generation is over. `code` is that of its error. */
export function recordGenerationEnd(
  { observe, clock }: Pick<BackendPorts, "observe" | "clock">,
  row: Pick<StoredGeneration, "created_at">,
  status: "completed" | "error" | "cancelled",
  code?: string,
): void {
  const seconds = Math.max(0, clock.now() - row.created_at.getTime()) / 1_000;
  observe?.measure("kay_generation_seconds", { status }, seconds);
  if (code !== undefined) observe?.count("kay_generation_errors_total", { code });
}
