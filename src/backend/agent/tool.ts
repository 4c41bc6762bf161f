import type { JSONSchema7 } from "ai";
import type { Access, ToolResult } from "#backend/services/service";
import type { Receipt } from "#protocol/ask";

/**
 * A tool as the loop sees it: what the model is told, how its input is checked, and one way to run it. Where tokens, services and effects
 * come from is the toolbox's business.
 */
export type AgentTool = {
  /** `jira.close_issue`. */
  name: string;
  /** The service it works on, `jira`, and its title for people. */
  service: string;
  title: string;
  description: string;
  access: Access;
  examples: string[];
  schema: JSONSchema7;
  /** @throws Problem INVALID_REQUEST that names the wrong field */
  parse(input: unknown): Record<string, unknown>;
  summary(input: Record<string, unknown>): string;
  /** @throws Problem of the closed table; AUTH_REQUIRED when the service is not connected */
  run(input: Record<string, unknown>, context: RunContext): Promise<ToolResult>;
};

export type RunContext = {
  toolCallId: string;
  signal: AbortSignal;
  /** Told of each state of an effect, as it changes. */
  report(receipt: Receipt): void;
};
