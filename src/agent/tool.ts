import type { JSONSchema7 } from "ai";
import type { Interactive } from "#connectors/interaction";
import type { Access, Account, ToolMode, ToolResult } from "#connectors/service";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";

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
  /** See `Tool` of the services; absent on tools that need no person. */
  mode?: ToolMode;
  modeOf?(input: Record<string, unknown>): ToolMode | undefined;
  resource?(input: Record<string, unknown>): string | undefined;
  examples: string[];
  /** What stands for its name where operators count: names that people made up are none of theirs. */
  counted?: string;
  /** A tool of kay itself, on no service: it runs without being asked about. */
  own?: boolean;
  /** The tool that this is for an input, where that decides on service and access. @throws Problem */
  specific?(input: Record<string, unknown>): AgentTool;
  schema: JSONSchema7;
  /** @throws Problem INVALID_REQUEST that names the wrong field */
  parse(input: unknown): Record<string, unknown>;
  summary(input: Record<string, unknown>): string;
  /**
   * Whether it could run now, and in whose name: asked before anybody is bothered with an approval.
   *
   * @throws Problem AUTH_REQUIRED
   */
  ready?(): Promise<Account | undefined>;
  /** @throws Problem of the closed table; AUTH_REQUIRED when the service is not connected */
  run(input: Record<string, unknown>, context: RunContext): Promise<ToolResult>;
};

export type RunContext = Interactive & {
  toolCallId: string;
  signal: AbortSignal;
  /** Told of each state of an effect, as it changes. */
  report(receipt: Receipt): void;
};

/** For calls that nobody watches: there is nobody to ask, and no log. */
export const UNATTENDED_CONTEXT: Interactive = {
  interaction: { available: false },
  requestInteraction: async () => {
    throw new Problem("INTERACTION_UNAVAILABLE", "Nobody can be asked here.");
  },
  log: () => {},
};
