import type { CallToolResult } from "@modelcontextprotocol/server";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { ProgramCallView } from "#protocol/program-calls";

/** Converts a value to a result. Hosts of every version read the text. */
export function toResult(value: Record<string, unknown>, isError = false): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }], ...(isError ? { isError } : {}) };
}

/** Describes a call to the host's model: its result, or what it waits for and how the user answers. */
export function describeCall({ id, tool, status, output, problem, receipts, waits }: ProgramCallView): CallToolResult {
  const base = { status, tool, ...(id === undefined ? {} : { id }) };
  const writes = receipts.map(({ summary, effect, url }) => ({ summary, effect, ...(url ? { url } : {}) }));
  const writeFields = writes.length > 0 ? { writes } : {};
  switch (status) {
    case "done": {
      const { data, text, url } = output ?? { data: null, text: "" };
      return toResult({ ...base, result: data ?? text, ...(url ? { url } : {}), ...writeFields });
    }
    case "waiting":
      return toResult({
        ...base,
        waiting_for: waits.map(({ id, kind, prompt, expires_at }) => ({
          kind,
          prompt,
          expires_at,
          answer: `kay answer ${id}`,
        })),
        next: `Ask the user to answer in a terminal with \`kay answer\` or \`kay pending\`. Then call get_result with this id.`,
      });
    case "running":
      return toResult({ ...base, next: "Call get_result with this id." });
    default:
      return toResult({ ...base, error: problem, ...writeFields }, true);
  }
}

/** Describes a failure to the host's model, with what the user can do. */
export function describeProblem(error: unknown): CallToolResult {
  if (!(error instanceof Problem)) return toResult({ error: { code: "INTERNAL", message: "kay failed." } }, true);
  const { code, message } = error;
  const hint = code === "NOT_FOUND" ? "Find the name with search_tools." : error.hint;
  return toResult({ error: { code, message: cleanLine(message, 1_000), ...(hint ? { hint } : {}) } }, true);
}
