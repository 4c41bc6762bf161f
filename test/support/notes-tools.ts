import type { AgentTool } from "#agent/tool";
import { Problem } from "#protocol/errors";

/** Two tools for notes, one that reads and one that writes. Some note numbers fail in their own way. */
export function notes(ran: (line: string) => void): AgentTool[] {
  const base = { service: "notes", title: "Notes", description: "", examples: [], schema: { type: "object" as const } };
  const parse = (input: unknown) => {
    const value = input as Record<string, unknown>;
    if (typeof value.id !== "number") throw new Problem("INVALID_REQUEST", "id must be a number.");
    return value;
  };
  return [
    {
      ...base,
      name: "notes.read",
      access: "read",
      parse,
      summary: ({ id }) => `Read note ${id}`,
      run: async ({ id }, { toolCallId }) => {
        ran(`read ${toolCallId}`);
        if (id === 404) throw new Problem("SERVICE_FAILED", "Notes has no note 404.");
        if (id === 500) throw new TypeError("cannot read x of undefined");
        if (id === 401 || id === 402) {
          const integrations = [id === 401 ? "notes" : "mail"];
          throw new Problem("AUTH_REQUIRED", "Not connected.", { details: { integrations } });
        }
        return { data: { id }, text: `note ${id}` };
      },
    },
    {
      ...base,
      name: "notes.write",
      access: "write",
      parse,
      summary: ({ id }) => `Write note ${id}`,
      run: async (_, { toolCallId }) => {
        ran(`write ${toolCallId}`);
        return { data: {}, text: "written" };
      },
    },
  ];
}
