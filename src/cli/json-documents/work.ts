import * as z from "zod/mini";
import { AskResponse } from "#protocol/ask";
import { Connection, ConnectionsResponse } from "#protocol/connections";
import { Grant, WriteView } from "#protocol/conversations";
import { ModelTestResponse, ModelView } from "#protocol/model";
import { ProgramAccessRequest, ProgramView } from "#protocol/program-calls";
import { StatusResponse } from "#protocol/status";
import { Conversation } from "./answers.ts";

/** What `kay approvals revoke` prints: the revoked approval. */
export const Revoked = z.looseObject({ revoked: Grant });

/** What `kay log` prints. */
export const Log = z.looseObject({
  writes: z.array(WriteView),
  /** Whether there are older ones. */
  has_more: z.boolean(),
});

/** What `kay open` prints. */
export const Opened = z.looseObject({
  url: z.string(),
  service: z.string(),
  /** The change that the link belongs to. */
  summary: z.optional(z.string()),
  /** Whether a browser was started. */
  opened: z.boolean(),
});

/** A line that `kay mcp` prints: a JSON-RPC message, as the Model Context Protocol defines it. */
export const McpMessage = z.looseObject({ jsonrpc: z.literal("2.0") });

/** What `kay mcp authorize` prints. */
export const Authorized = z.looseObject({ program: ProgramAccessRequest, url: z.string() });

/** What `kay mcp remove` prints. */
export const RemovedProgram = z.looseObject({ removed: ProgramView });

/** What `kay sessions delete` and `kay every remove` print: the ID of the removed item. */
export const Deleted = z.looseObject({ deleted: z.string() });

/** What `kay sessions export` prints: the conversation, its Markdown, or the file it was written to. */
export const Export = z.union([
  Conversation,
  z.looseObject({ id: z.string(), format: z.literal("md"), text: z.string() }),
  z.looseObject({
    /** The conversation. */
    exported: z.string(),
    /** Absolute path. */
    file: z.string(),
    format: z.enum(["md", "json"]),
  }),
]);

/** What `kay model` prints, with the result of `--test`. */
export const Model = z.union([ModelView, ModelTestResponse]);

/** What `kay model list` prints. */
export const Models = z.looseObject({
  /** The model that answers. */
  name: z.string(),
  available: ModelView.shape.available,
});

/**
 * What `kay serve` prints when it listens, with `--stop` when the local backend has ended, and with `--install`,
 * `--uninstall` and `--status`.
 */
export const Serve = z.union([
  z.looseObject({
    url: z.string(),
    /** Origins of the stand-ins, by name. */
    sandbox: z.record(z.string(), z.string()),
  }),
  z.looseObject({ state: z.enum(["stopped", "not running"]) }),
  z.looseObject({
    /** The file of the service manager. */
    installed: z.string(),
    /** Whether the service runs. */
    started: z.boolean(),
    /** Otherwise the commands that start it. */
    commands: z.array(z.string()),
  }),
  z.looseObject({ uninstalled: z.string() }),
  StatusResponse,
]);

/** What `kay try` prints. */
export const Tour = z.looseObject({
  completed: z.literal(true),
  /** The steps as a user would type them, each followed by its result. */
  commands: z.array(z.string()),
  connected: z.extend(Connection, { service: z.string() }),
  connections: ConnectionsResponse.shape.connections,
  answer: AskResponse,
  confirmed: AskResponse,
});
