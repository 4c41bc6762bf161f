import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { Problem } from "#protocol/errors";
import type { CallTask, TaskHandle } from "./tools/tasks.ts";
import type { HttpTransportOptions } from "./transport/http-transport.ts";
import type { ProgramOptions } from "./transport/stdio-transport.ts";

/** A question that a server asks the user during a call (MCP, "Elicitation"), and its answer. */
export type ElicitationRequest = ElicitRequest["params"];
export type ElicitationAnswer = ElicitResult;

/** Asks the user. The signal aborts when the call has ended. */
export type HandleElicitation = (
  request: ElicitationRequest,
  signal: AbortSignal,
  /** Fires when the server reports that the visit to a URL is done. */
  completed?: AbortSignal,
) => Promise<ElicitationAnswer>;

/** A server and how to reach it. */
export type McpClientOptions = {
  /** The service's name, and its display name in `title`. */
  name: string;
  title: string;
  /** kay's version, sent to the server. */
  version: string;
  place: { http: HttpTransportOptions } | { program: ProgramOptions };
  /** Tells the server that the user can be asked. Calls then have `onElicitation`. */
  elicits?: boolean;
  /** Called when the server reports that its tools changed. */
  onToolsChanged?(): void;
  /** Called when the connection is lost, not closed by kay. */
  onGone?(): void;
  /** The protocol era, if already known. */
  era?: ProtocolEra;
  /** Continues the session in which a task was started, if the server still has it. */
  resumes?: TaskHandle;
  /** Aborts the opening. An open connection is closed with `close`. */
  signal?: AbortSignal;
};

/** The protocol a server speaks: with sessions, or stateless (2026-07-28 and later). */
export type ProtocolEra = "legacy" | "modern";

/** A failure of a connection. `lost`: the request may have been processed. `gone`: the connection is unusable. */
export type McpFault = { problem: Problem; lost: boolean; gone: boolean };

export type CallOptions = {
  signal?: AbortSignal;
  /** The call changes something. If its result is unknown, it ends with OUTCOME_UNKNOWN. */
  writes: boolean;
  onElicitation?: HandleElicitation;
  /**
   * Must be awaited before a call is repeated (`sent`), and once the previous attempt is known to have done nothing
   * (`unsent`).
   */
  sent?(): Promise<void>;
  unsent?(): Promise<void>;
  /** Keeps the handle of a task, if the server runs the call as one. */
  task?: CallTask | undefined;
  /** Called with the server's progress text, cleaned. */
  onProgress?(words: string): void;
};
