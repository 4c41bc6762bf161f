import { randomUUID } from "node:crypto";
import {
  acceptedContent,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
  UrlElicitationRequiredError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** The form that the notes server asks with. */
export const PRIORITY = {
  type: "object" as const,
  properties: {
    title: { type: "string" as const, title: "Title", minLength: 3 },
    stars: { type: "integer" as const, title: "Stars", minimum: 1, maximum: 5 },
    tags: {
      type: "array" as const,
      title: "Tags",
      items: {
        anyOf: [
          { const: "r", title: "Red" },
          { const: "b", title: "Blue" },
        ],
      },
    },
  },
  required: ["title"],
};

/** The notes server's payment page. */
export const PAY = "https://pay.example.test/bill?id=7";

/**
 * A notes server that asks users during calls, in both protocols. `notes` is what was written, `calls` counts requests,
 * and `list_paid` waits for `paid`.
 */
export function notesServer({ era = "legacy" }: { era?: "legacy" | "modern" } = {}) {
  const state = { notes: [] as unknown[], calls: 0, paid: false, said: [] as unknown[], servers: new Set<McpServer>() };

  function server(): McpServer {
    const made = new McpServer(
      { name: "notes", title: "Notes", version: "1.0.0" },
      { capabilities: { tools: { listChanged: true } } },
    );
    const none = fromJsonSchema<Record<string, never>>({ type: "object", properties: {} });
    made.registerTool(
      "add_note",
      { description: "Add a note.", inputSchema: none, annotations: { readOnlyHint: false, destructiveHint: false } },
      async (_, ctx) => await askUser(ctx, () => "added"),
    );
    made.registerTool(
      "pick_note",
      { description: "Pick a note.", inputSchema: none, annotations: { readOnlyHint: true } },
      async (_, ctx) => await askUser(ctx, () => "picked"),
    );
    made.registerTool(
      "nag",
      { description: "Ask and ask.", inputSchema: none, annotations: { readOnlyHint: true } },
      async (_, ctx) => {
        for (let round = 0; round < 7; round++) {
          const answer = await ctx.mcpReq.elicitInput({
            mode: "form",
            message: `Round ${round}`,
            requestedSchema: PRIORITY,
          });
          state.said.push(answer.action);
        }
        return text("nagged");
      },
    );
    made.registerTool(
      "list_paid",
      { description: "List what is paid for.", inputSchema: none, annotations: { readOnlyHint: true } },
      async () => {
        state.calls++;
        if (state.paid) return text("paid notes");
        throw new UrlElicitationRequiredError([
          { mode: "url", message: "Pay first.", url: PAY, elicitationId: "bill-7" },
        ]);
      },
    );
    state.servers.add(made);
    return made;
  }

  async function askUser(ctx: Parameters<Parameters<McpServer["registerTool"]>[2]>[1], describeAnswer: () => string) {
    state.calls++;
    const context = ctx as unknown as {
      mcpReq: {
        inputResponses?: Record<string, unknown>;
        elicitInput(params: object): Promise<{ action: string; content?: unknown }>;
      };
    };
    const question = { message: "Which note?", requestedSchema: PRIORITY };
    if (era === "modern") {
      const given = acceptedContent(context.mcpReq.inputResponses, "which");
      const answer = context.mcpReq.inputResponses?.which as { action?: string } | undefined;
      if (answer === undefined) return inputRequired({ inputRequests: { which: inputRequired.elicit(question) } });
      return recordAnswer(answer.action ?? "", given, describeAnswer());
    }
    const { action, content } = await context.mcpReq.elicitInput({ mode: "form", ...question });
    return recordAnswer(action, content, describeAnswer());
  }

  function recordAnswer(action: string, content: unknown, outcome: string) {
    state.said.push(action);
    if (action === "accept" && outcome === "added") state.notes.push(content);
    return text(`${action} ${outcome} ${JSON.stringify(content ?? null)}`);
  }

  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const modern = createMcpHandler(server, { legacy: "reject" });

  async function legacy(request: Request): Promise<Response> {
    const knownSession = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (knownSession) return await knownSession.handleRequest(request);
    if (request.headers.has("mcp-session-id")) return new Response(null, { status: 404 });
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await server().connect(transport);
    return await transport.handleRequest(request);
  }

  return {
    state,
    fetch: async (request: Request): Promise<Response> =>
      era === "modern" ? await modern.fetch(request) : await legacy(request),
    /** Simulates a payment; the server notifies its listeners. */
    pay: async () => {
      state.paid = true;
      for (const server of state.servers)
        await server.server
          .notification({ method: "notifications/elicitation/complete", params: { elicitationId: "bill-7" } })
          .catch(() => {});
    },
    /** The server is gone with its sessions. */
    restart: () => sessions.clear(),
  };
}

function text(words: string) {
  return { content: [{ type: "text" as const, text: words }] };
}
