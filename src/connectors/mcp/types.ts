import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { HttpTransportOptions } from "./http-transport.ts";
import type { ProgramOptions } from "./stdio-transport.ts";

/** What a server asks of a person in the middle of a call (MCP, "Elicitation"), and what it is told. */
export type ElicitationRequest = ElicitRequest["params"];
export type ElicitationAnswer = ElicitResult;

/** Asks a person; the signal aborts when the call is over. */
export type HandleElicitation = (
  request: ElicitationRequest,
  signal: AbortSignal,
  /** Fires when the server says that what was to be done at an address is done. */
  done?: AbortSignal,
) => Promise<ElicitationAnswer>;

/** A server and the way to it. */
export type McpClientOptions = {
  /** Name of the service, and its title for people. */
  name: string;
  title: string;
  /** Version of kay, which the server is told. */
  version: string;
  place: { http: HttpTransportOptions } | { program: ProgramOptions };
  /** The server is told that people can be asked, and calls bring `onElicitation`. */
  elicits?: boolean;
  /** The server said that its tools are others now. */
  onToolsChanged?(): void;
  /** The link is over without having been closed. */
  onGone?(): void;
  /** Known from before, so that the server need not be asked. */
  era?: ProtocolEra;
  /** Ends the opening; an open link is closed by `close`. */
  signal?: AbortSignal;
};

/** Which of the two protocols a server speaks: with a session, or stateless (2026-07-28 and later). */
export type ProtocolEra = "legacy" | "modern";

export type CallOptions = {
  signal?: AbortSignal;
  /** The call changes something: where nobody knows what came of it, it ends as OUTCOME_UNKNOWN. */
  writes: boolean;
  onElicitation?: HandleElicitation;
  /** To be awaited before a call that did nothing, for want of an answer, is made again, and when that is known. */
  sent?(): Promise<void>;
  unsent?(): Promise<void>;
  /** What the server says while it works, cleaned. */
  onProgress?(words: string): void;
};
