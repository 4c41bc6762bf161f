import * as z from "zod/mini";
import {
  AnswerLink,
  ConversationsResponse,
  ConversationView,
  GrantsResponse,
  GrantTestResponse,
  PoliciesResponse,
} from "#protocol/conversations";
import { AddServiceResponse, ClientDocument, RemoveServiceResponse } from "#protocol/custom-services";
import { ProgramsResponse } from "#protocol/program-calls";
import { SchedulesResponse, ScheduleView } from "#protocol/schedules";
import { CreatedScriptToken, ScriptTokensResponse } from "#protocol/script-tokens";
import { ServicesResponse, ServiceView, ToolsResponse, ToolView } from "#protocol/tools";
import { Connect, Connections, Disconnect, KnownServices, Logout, RevokedToken, Whoami } from "./accounts.ts";
import { Answer, Background, Conversation, Line, Pending, PendingItem } from "./answers.ts";
import { Failure, ToolAuthRequired } from "./failure.ts";
import {
  Alias,
  Aliases,
  AliasRemoved,
  Completion,
  Context,
  Doctor,
  Help,
  ProfileCreated,
  ProfileRemoved,
  Profiles,
  ProfileUsed,
  ProjectTrust,
  Setting,
  Settings,
  SettingsPath,
} from "./machine.ts";
import {
  Authorized,
  Deleted,
  Export,
  Log,
  McpMessage,
  Model,
  Models,
  Opened,
  RemovedProgram,
  Revoked,
  Serve,
  Tour,
} from "./work.ts";

/** The title of a document, and its schema. */
export type JsonDocument = { title: string; schema: z.core.$ZodType };

/**
 * The contract of `--json`: the document that each command prints, by its words. `failure` is what every command prints
 * when it fails, and `ask stream` is a line of `kay ask --stream`. The build creates JSON Schemas from it, and tests
 * check every command against it.
 */
export const JSON_DOCUMENTS: Record<string, JsonDocument> = {
  "alias list": { title: "The aliases that can be used here", schema: Aliases },
  "alias remove": { title: "The removed alias", schema: AliasRemoved },
  "alias set": { title: "The saved alias", schema: Alias },
  answer: { title: "The result of an answer", schema: z.union([Answer, AnswerLink]) },
  "approvals list": { title: "Saved approvals", schema: GrantsResponse },
  "approvals revoke": { title: "The revoked approval", schema: Revoked },
  "approvals test": { title: "Whether a call would ask, and why", schema: GrantTestResponse },
  ask: { title: "The answer, or the request at which it stopped", schema: z.union([Answer, Background]) },
  "ask stream": { title: "A line of a streamed answer", schema: Line },
  attach: { title: "A line of a joined conversation", schema: Line },
  completion: { title: "The script for a shell", schema: Completion },
  "config get": { title: "A setting", schema: Setting },
  "config list": { title: "Every setting", schema: Settings },
  "config path": { title: "The path of the settings file", schema: SettingsPath },
  "config set": { title: "The effective setting", schema: Setting },
  "config unset": { title: "The effective setting", schema: Setting },
  confirm: { title: "The result of a confirmation", schema: Answer },
  connect: { title: "The new connection, or the link to authorize it", schema: Connect },
  connections: { title: "Every service and its connected account", schema: Connections },
  context: { title: "What the model gets before a question", schema: Context },
  "context trust": { title: "The project whose text kay uses from now on", schema: ProjectTrust },
  "context untrust": { title: "The project whose text kay does not use", schema: ProjectTrust },
  disconnect: { title: "The removed connection", schema: Disconnect },
  doctor: { title: "Every check, and how to fix what failed", schema: Doctor },
  every: { title: "The new schedule; without one, every schedule", schema: z.union([ScheduleView, SchedulesResponse]) },
  "every list": { title: "Every schedule", schema: SchedulesResponse },
  "every pause": { title: "The paused schedule", schema: ScheduleView },
  "every remove": { title: "The removed schedule", schema: Deleted },
  "every resume": { title: "The resumed schedule", schema: ScheduleView },
  "every run": { title: "The run that started", schema: Background },
  failure: { title: "The failure of any command", schema: z.union([Failure, ToolAuthRequired]) },
  help: { title: "Help for kay, a command or a topic", schema: Help },
  inbox: { title: "A line for each request that needs an answer", schema: PendingItem },
  log: { title: "The changes that kay made, newest first", schema: Log },
  logout: { title: "The result of signing out", schema: Logout },
  mcp: { title: "A message of the Model Context Protocol", schema: McpMessage },
  "mcp authorize": {
    title: "The program that was let in, and the link that takes the browser back to it",
    schema: Authorized,
  },
  "mcp list": { title: "Every program that may use kay over HTTP", schema: ProgramsResponse },
  "mcp remove": { title: "The program whose access was ended", schema: RemovedProgram },
  model: { title: "The model in use and why, or the result of its test", schema: Model },
  "model list": { title: "Every provider of models", schema: Models },
  open: { title: "The link, and whether a browser was started", schema: Opened },
  pending: { title: "Open requests", schema: Pending },
  "policy get": { title: "The policies: which changes need no approval", schema: PoliciesResponse },
  "policy set": { title: "The policies after the change", schema: PoliciesResponse },
  "profile create": { title: "The created profile", schema: ProfileCreated },
  "profile list": { title: "Every profile on this machine", schema: Profiles },
  "profile remove": { title: "The removed profile", schema: ProfileRemoved },
  "profile use": { title: "The profile now in use", schema: ProfileUsed },
  serve: { title: "The backend's address, whether it was stopped, or its status", schema: Serve },
  services: { title: "The services that can be connected", schema: ServicesResponse },
  "services add": { title: "The changes of adding a service", schema: AddServiceResponse },
  "services approve": {
    title: "The changes of approving the tools of an MCP server",
    schema: AddServiceResponse,
  },
  "services client-document": { title: "The OAuth client document to host", schema: ClientDocument },
  "services export": { title: "The description of a custom service", schema: z.record(z.string(), z.unknown()) },
  "services list": {
    title: "The services that can be connected, or with --known the MCP servers that kay knows",
    schema: z.union([ServicesResponse, KnownServices]),
  },
  "services remove": { title: "The removed service", schema: RemoveServiceResponse },
  "services show": { title: "A service", schema: ServiceView },
  "sessions delete": { title: "The deleted conversation", schema: Deleted },
  "sessions export": { title: "A conversation, or the file it was written to", schema: Export },
  "sessions list": { title: "A page of conversations", schema: ConversationsResponse },
  "sessions rename": { title: "The conversation with its new title", schema: ConversationView },
  "sessions show": { title: "A conversation with its full log", schema: Conversation },
  "token create": { title: "The created token, with its secret", schema: CreatedScriptToken },
  "token list": { title: "The tokens for scripts, without their secrets", schema: ScriptTokensResponse },
  "token revoke": { title: "The revoked token", schema: RevokedToken },
  "tools call": { title: "The tool's own data", schema: z.unknown() },
  "tools list": { title: "The tools of the services", schema: ToolsResponse },
  "tools show": { title: "A tool", schema: ToolView },
  try: { title: "The results of the tour", schema: Tour },
  whoami: { title: "The accounts in use, and the backend", schema: Whoami },
};
