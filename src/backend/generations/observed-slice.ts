import { getTraceId, type Span, traceSpan } from "#telemetry/trace";
import { withLogFields } from "../log-fields.ts";
import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generations.ts";
import type { RunResult } from "./run.ts";

/**
 * Work on a generation as one span of its trace; each line of the log that is written meanwhile says which generation it is about.
 *
 * @param parent `traceparent` of whoever asked for it
 */
export async function traceRun(
  ports: BackendPorts,
  { row, node, parent }: { row: StoredGeneration; node: number; parent: string | undefined },
  work: () => Promise<RunResult | undefined>,
): Promise<RunResult | undefined> {
  const place = { parent: parent ?? null, attributes: { "kay.generation": row.id, "kay.node": node } };
  const slice = (span?: Span) => {
    const fields = {
      generation: row.id,
      conversation: row.conversation_id,
      node,
      trace: getTraceId(span?.traceparent),
    };
    return withLogFields(fields, async () => {
      const end = await work();
      span?.set({ "kay.end": end?.kind ?? "left" });
      return end;
    });
  };
  return await traceSpan(ports.observe, "generation", place, slice, (end) =>
    end?.kind === "error" ? end.problem.code : undefined,
  );
}
