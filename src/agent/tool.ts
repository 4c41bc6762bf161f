import type { JSONSchema7 } from "ai";
import type { Interactive } from "#connectors/interaction";
import type { Account } from "#connectors/oauth";
import type { Access, ToolMode, ToolResult } from "#connectors/tool";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { MentionList } from "#protocol/tools";

/**
 * A tool as the loop sees it: its description for the model, its input validation, and how to run it. The toolbox adds
 * tokens, services and effects.
 */
export type AgentTool = {
  /** `jira.close_issue`. */
  name: string;
  /** The name of its service, such as `jira`. */
  service: string;
  title: string;
  description: string;
  access: Access;
  /** See `Tool` in src/connectors/service.ts. Absent on tools that never ask the user. */
  mode?: ToolMode;
  chooseMode?(input: Record<string, unknown>): ToolMode | undefined;
  resource?(input: Record<string, unknown>): string | undefined;
  /** Names the object within `resource`; see `Tool`. */
  object?(input: Record<string, unknown>): string | undefined;
  egress?: boolean;
  /** Its field `attachments` sends files of the conversation. */
  takesAttachments?: boolean;
  /** The place of `resource` is what `describeTarget` describes. */
  placeIsTarget?: boolean;
  /** Reads what the call reaches, in one line. @throws Problem if it cannot be read */
  describeTarget?(input: Record<string, unknown>, context: RunContext): Promise<string>;
  /** Names the recipients of the call, each in one spelling. */
  destinations?(input: Record<string, unknown>): string[];
  examples: string[];
  mentions?: MentionList[];
  /** The tool's label in metrics. Names of custom services are not reported to operators. */
  metricName?: string;
  /** A built-in tool of kay that belongs to no service. It runs without approval. */
  own?: boolean;
  /** Returns the concrete tool for an input that determines service and access. @throws Problem */
  specific?(input: Record<string, unknown>): AgentTool;
  schema: JSONSchema7;
  /** @throws Problem INVALID_REQUEST that names the wrong field */
  parse(input: unknown): Record<string, unknown>;
  summary(input: Record<string, unknown>): string;
  /**
   * Returns the account the tool would run as. Called before the user is asked for an approval.
   *
   * @throws Problem AUTH_REQUIRED when the service is not connected
   */
  ready?(): Promise<Account | undefined>;
  /** @throws Problem from the error table; AUTH_REQUIRED when the service is not connected */
  run(input: Record<string, unknown>, context: RunContext): Promise<ToolResult>;
};

export type RunContext = Interactive & {
  toolCallId: string;
  /** The account that the approval named. A call never runs as another one. */
  account?: Account;
  /** The target that the approval named, as `describeTarget` described it. */
  target?: string;
  signal: AbortSignal;
  /** Called with each state of an effect as it changes. */
  report(receipt: Receipt): void;
};

/** Context for calls with no client attached: cannot ask the user, does not log. */
export const UNATTENDED_CONTEXT: Interactive = {
  interaction: { available: false },
  requestInteraction: async () => {
    throw new Problem("INTERACTION_UNAVAILABLE", "No client is connected to answer this question.");
  },
  log: () => {},
};
