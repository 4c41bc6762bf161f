type Message = { id?: number; method?: string; params?: Record<string, never> & { _meta?: Record<string, unknown> } };

/**
 * A server of the newer protocol that answers a call with a task (`io.modelcontextprotocol/tasks`), which asks one
 * question.
 */
export function taskServer() {
  const state = { calls: 0, declared: false, answers: [] as unknown[] };
  let hasForgotten = false;
  const task = (more: object) => ({
    taskId: "task-1",
    createdAt: "2026-11-29T10:00:00Z",
    lastUpdatedAt: "2026-11-29T10:00:00Z",
    ttlMs: null,
    pollIntervalMs: 1,
    ...more,
  });
  const question = {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Which branch?",
      requestedSchema: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
    },
  };
  const answers: Record<string, (params: Record<string, unknown>) => object> = {
    "server/discover": () => ({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      serverInfo: { name: "builds", version: "1.0.0" },
    }),
    "tools/list": () => ({
      tools: [{ name: "build", description: "Build it.", inputSchema: { type: "object", properties: {} } }],
      ttlMs: 0,
      cacheScope: "private",
    }),
    "tools/call": ({ _meta }) => {
      state.calls++;
      state.declared = JSON.stringify(_meta).includes("io.modelcontextprotocol/tasks");
      return { ...task({ status: "working", statusMessage: "Queued" }), resultType: "task" };
    },
    "tasks/get": () => {
      const [answer] = state.answers as { content?: { branch?: string } }[];
      if (!answer) return task({ status: "input_required", inputRequests: { which: question } });
      const content = [{ type: "text", text: `built ${answer.content?.branch}` }];
      return task({ status: "completed", result: { content } });
    },
    "tasks/update": ({ inputResponses }) => {
      state.answers.push(...Object.values(inputResponses as object));
      return {};
    },
    "tasks/cancel": () => ({}),
  };
  return {
    state,
    /** From now on, it knows no task. */
    forget: () => {
      hasForgotten = true;
    },
    fetch: async (request: Request): Promise<Response> => {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method = "", params = {} } = (await request.json()) as Message;
      if (id === undefined) return new Response(null, { status: 202 });
      const isForgotten = hasForgotten && method.startsWith("tasks/");
      const answer = isForgotten ? undefined : answers[method];
      if (!answer)
        return Response.json({
          jsonrpc: "2.0",
          id,
          error: { code: isForgotten ? -32_602 : -32_601, message: "Unknown" },
        });
      return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...answer(params) } });
    },
  };
}
