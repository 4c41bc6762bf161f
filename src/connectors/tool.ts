import * as z from "zod/mini";
import type { Clock } from "#net/ports";
import type { MentionList } from "#protocol/tools";
import type { Interactive } from "./interaction.ts";
import type { ServiceHttp } from "./service-http.ts";

/** The access of a tool. `destructive` changes cannot be undone by the same user in the same service. */
export type Access = "read" | "write" | "destructive";

/**
 * When a call needs the user: never, before it runs, or after it ran and before the model continues. The strictest
 * applicable mode applies.
 */
export type ToolMode = "auto" | "confirm_before_execution" | "confirm_after_execution";

/** One operation of a service. Names have the form `service.verb_object`. */
export type Tool<Input extends Record<string, unknown> = Record<string, unknown>> = {
  name: string;
  /** One or two sentences for the model and for `kay tools`. */
  description: string;
  access: Access;
  /** zod/mini schema. Its JSON Schema, with the field descriptions, goes to the model. */
  input: z.ZodMiniType<Input>;
  /** A JSON Schema that replaces that of `input`. `check` then validates the input. */
  schema?: Record<string, unknown>;
  /** Validates an input instead of `input`. @throws Problem INVALID_REQUEST that names the wrong field */
  check?(input: unknown): Input;
  /** Example requests for this tool, from which the offline planner learns. `{slot}` marks an input field. */
  examples: string[];
  /** Returns one line that says exactly what the call does, for approvals and receipts: "Move KAY-3 to Done". */
  summary(input: Input): string;
  /** Default: `auto` for reads, `confirm_before_execution` for everything else. */
  mode?: ToolMode;
  /**
   * Whether a read can carry words of its input to others: a web page, an MCP server, an address that the user added.
   * It asks if the words may come from text that others wrote.
   */
  egress?: boolean;
  /**
   * Reads what the call reaches, in one line, before the user is asked: "“Release 1.4” from Sam Sample". For tools
   * whose input names it by an ID or by a part of its title.
   */
  describeTarget?(input: Input, context: ToolContext): Promise<string>;
  /**
   * The place of `resource` is what `describeTarget` describes, so a saved approval covers only the IDs that it showed.
   */
  placeIsTarget?: boolean;
  /**
   * Names the recipients of a write, each in one spelling: addresses, channels, repositories. Cards point out those
   * that kay has never written to before. Without it, the tools of services that the user added reach their service.
   */
  destinations?(input: Input): string[];
  /**
   * Its field `attachments` names files of the conversation. A call gets them as references that also hold their type,
   * size and hash, so that exactly the files that were approved are sent.
   */
  takesAttachments?: boolean;
  /** Lists of a read that a session offers after `@`. */
  mentions?: MentionList[];
  /** The call stays in memory while the user is asked, because the server keeps a connection open meanwhile. */
  suspendable?: boolean;
  /** Returns a stricter mode for some inputs, such as a mention of everyone. */
  chooseMode?(input: Input): ToolMode | undefined;
  /**
   * Returns the scope of a saved approval as a phrase with its preposition: `to #general`, `in project KAY`. It ends
   * the approval's text, as in "slack.send_message to #general".
   *
   * It depends only on the input, is the same for every spelling of the same place, and never names less than the call
   * reaches. If it is absent or returns undefined, a saved approval covers only the same arguments.
   */
  resource?(input: Input): string | undefined;
  /**
   * Names the object within `resource` that the call changes, and what it changes of it: `KAY-3, priority`. A saved
   * approval covers no other, while `--allow` may name the place alone. If it returns undefined, a saved approval
   * covers only the same arguments.
   */
  object?(input: Input): string | undefined;
  run(input: Input, context: ToolContext): Promise<ToolResult>;
};

/** The context of a tool call. `http` adds the service's token, base URL, retries and error handling. */
export type ToolContext = {
  http: ServiceHttp;
  /** The `metadata` of the connection. */
  metadata: Record<string, unknown>;
  signal: AbortSignal;
  /** For writes: sent as the service's idempotency key if it supports one. */
  idempotencyKey: string;
  /** The target that the user's approval named, as `describeTarget` described it. */
  approvedTarget?: string;
  /** Defines "today" and "now". */
  clock: Clock;
  /** The user's time zone, an IANA name, in which days and local times are meant. Default: UTC. */
  timeZone?: string;
  /** Loads the files that the references in `attachments` name. Absent when a tool runs outside kay. */
  loadAttachments?(references: string[]): Promise<FileContent[]>;
  /** Asks the user and logs progress. Absent when a tool runs outside kay. */
  people?: Interactive;
  /** For services that do not use `http`. Absent when a tool runs outside kay. */
  raw?: RawAccess;
};

/** A file to be sent to a service. */
export type FileContent = { name: string; type: string; bytes: Uint8Array };

/** The services of the HTTP core, for connectors with their own transport. */
export type RawAccess = {
  /** Returns the current token. @throws Problem AUTH_REQUIRED */
  token(): Promise<string>;
  /** Returns a new token after the service refused this one. @throws Problem AUTH_REQUIRED */
  renewToken(token: string): Promise<string>;
  /**
   * Reports that the token lacks these scopes; the next consent asks for them. @throws Problem AUTH_REQUIRED, always
   */
  lacks(scopes: string[]): Promise<never>;
  /** Must be awaited before the first byte of a write leaves. */
  sent(): Promise<void>;
  /** Reports that the request had no effect and will be sent again. */
  unsent(): Promise<void>;
  /** Reports that a write succeeded. */
  wrote(): void;
  task: TaskKeeper;
};

/**
 * Keeps the handle of a task: work that a service continues after it accepted a call. A process that makes the call
 * again, after a restart or at another node, asks for that task instead of starting another one.
 */
export type TaskKeeper = {
  /** Returns the handle that was stored for this call. */
  find(): Promise<string | undefined>;
  keep(handle: string): Promise<void>;
  /** Aborts with a `Cancellation` when the user cancels the call. Any other abort leaves the task alone. */
  signal: AbortSignal;
};

/**
 * The result of a tool: `data` trimmed for a model, `text` as Markdown for the user, `url` of the page that shows it.
 */
export type ToolResult = { data: unknown; text: string; url?: string };

/** Defines a tool with the input type of its schema, and erases the type so that tools fit in one list. */
export function defineTool<Input extends Record<string, unknown>>(
  tool: NoInfer<Tool<Input>> & { input: z.ZodMiniType<Input> },
): Tool {
  return tool as unknown as Tool;
}

/** Adds the description of an input field, which models and `kay tools show` read. */
export function withDescription<T extends z.ZodMiniType>(schema: T, description: string): T {
  z.globalRegistry.add(schema, { description });
  return schema;
}
