import {
  type ClientCapabilities,
  type Implementation,
  type McpServer,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server";

/** Extension of MCP 2026-07-28 in which a call is answered with a task (github.com/modelcontextprotocol/ext-tasks). */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Returns the host's name: from the request since protocol 2026-07-28, from the initialization before. */
export function getProgramName({ mcpReq }: ServerContext, server: McpServer): string | undefined {
  const { [CLIENT_INFO]: info = server.server.getClientVersion() } = (mcpReq.envelope ?? {}) as Envelope;
  return info?.title ?? info?.name;
}

/** Returns which kinds of questions the host can ask its user. A host that names no mode supports dialogs. */
export function getDialogModes({ mcpReq }: ServerContext, server: McpServer): { form: boolean; url: boolean } {
  const { [CLIENT_CAPABILITIES]: capabilities = server.server.getClientCapabilities() } = (mcpReq.envelope ??
    {}) as Envelope;
  const elicitation = capabilities?.elicitation;
  const url = elicitation?.url !== undefined;
  return { form: elicitation !== undefined && (elicitation.form !== undefined || !url), url };
}

/** Whether the host of this request supports tasks. Tasks of older protocols are a different feature. */
export function supportsTasks({ mcpReq }: ServerContext): boolean {
  const { [CLIENT_CAPABILITIES]: capabilities } = (mcpReq.envelope ?? {}) as Envelope;
  return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** Whether the library aborted a request because its connection closed, not because the host cancelled it. */
export function isConnectionClosed(reason: unknown): boolean {
  return reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;
}

/**
 * Fields in which a request of protocol 2026-07-28 identifies its sender
 * (modelcontextprotocol.io/specification/2026-07-28/basic).
 */
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
type Envelope = { [CLIENT_INFO]?: Implementation; [CLIENT_CAPABILITIES]?: ClientCapabilities };
