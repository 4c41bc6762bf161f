import * as z from "zod/mini";
import {
  ConversationsResponse,
  ConversationView,
  GrantsResponse,
  GrantTestResponse,
  PoliciesResponse,
} from "#protocol/conversations";
import { AddServiceResponse, RemoveServiceResponse } from "#protocol/custom-services";
import { ServicesResponse, ServiceView, ToolsResponse, ToolView } from "#protocol/tools";
import { Connect, Connections, Disconnect, Logout, Whoami } from "./accounts.ts";
import { Answer, Conversation, Line, Pending } from "./answers.ts";
import { Failure, ToolAuthRequired } from "./failure.ts";
import {
  Completion,
  Doctor,
  Help,
  ProfileCreated,
  ProfileRemoved,
  Profiles,
  ProfileUsed,
  Setting,
  Settings,
  SettingsPath,
} from "./machine.ts";
import { Deleted, Export, Model, Models, Revoked, Serve, Tour } from "./work.ts";

/** The title of a document, and its shape. */
export type JsonDocument = { title: string; schema: z.core.$ZodType };

/**
 * The contract of `--json`: by the words of each command, the document that it prints; by `failure` what every one prints when it fails; and
 * by `ask stream` each line of `kay ask --stream`. The build makes JSON Schemas of it, and the tests hold every command to it.
 */
export const JSON_DOCUMENTS: Record<string, JsonDocument> = {
  answer: { title: "What came of an answer", schema: Answer },
  "approvals list": { title: "Every approval that lasts", schema: GrantsResponse },
  "approvals revoke": { title: "The approval that was taken back", schema: Revoked },
  "approvals test": { title: "Whether a call would ask, and why", schema: GrantTestResponse },
  ask: { title: "The answer, or what it stopped at", schema: Answer },
  "ask stream": { title: "A line of a streamed answer", schema: Line },
  attach: { title: "A line of a conversation that is joined", schema: Line },
  completion: { title: "The script for a shell", schema: Completion },
  "config get": { title: "A setting", schema: Setting },
  "config list": { title: "Every setting", schema: Settings },
  "config path": { title: "Where the settings file is", schema: SettingsPath },
  "config set": { title: "The setting as it counts now", schema: Setting },
  "config unset": { title: "The setting as it counts now", schema: Setting },
  confirm: { title: "What came of a confirmation", schema: Answer },
  connect: { title: "What was connected, or the link that connects it", schema: Connect },
  connections: { title: "Every service, and the account it is connected as", schema: Connections },
  disconnect: { title: "What was disconnected", schema: Disconnect },
  doctor: { title: "What was looked at, and what to fix", schema: Doctor },
  failure: { title: "What every command prints when it fails", schema: z.union([Failure, ToolAuthRequired]) },
  help: { title: "Help for kay, a command or a topic", schema: Help },
  logout: { title: "What signing out came to", schema: Logout },
  model: { title: "Which model answers, and why, or how its test went", schema: Model },
  "model list": { title: "Every provider of models", schema: Models },
  pending: { title: "What waits for an answer", schema: Pending },
  "policy get": { title: "What kay may do by itself", schema: PoliciesResponse },
  "policy set": { title: "What kay may do by itself now", schema: PoliciesResponse },
  "profile create": { title: "The profile that was made", schema: ProfileCreated },
  "profile list": { title: "Every profile of this machine", schema: Profiles },
  "profile remove": { title: "The profile that was removed", schema: ProfileRemoved },
  "profile use": { title: "The profile that is used from now on", schema: ProfileUsed },
  serve: { title: "Where the backend listens, whether it was stopped, or how it is", schema: Serve },
  services: { title: "What can be connected", schema: ServicesResponse },
  "services add": { title: "What adding a service changed, or would change", schema: AddServiceResponse },
  "services approve": {
    title: "What approving the tools of an MCP server changed, or would change",
    schema: AddServiceResponse,
  },
  "services export": { title: "The description of a service of one's own", schema: z.record(z.string(), z.unknown()) },
  "services list": { title: "What can be connected", schema: ServicesResponse },
  "services remove": { title: "The service that was removed", schema: RemoveServiceResponse },
  "services show": { title: "A service", schema: ServiceView },
  "sessions delete": { title: "The conversation that was deleted", schema: Deleted },
  "sessions export": { title: "A conversation, or where it was written", schema: Export },
  "sessions list": { title: "A page of conversations", schema: ConversationsResponse },
  "sessions rename": { title: "The conversation with its new title", schema: ConversationView },
  "sessions show": { title: "A conversation with its whole log", schema: Conversation },
  "tools call": { title: "The tool's own data", schema: z.unknown() },
  "tools list": { title: "What can be done with the services", schema: ToolsResponse },
  "tools show": { title: "A tool", schema: ToolView },
  try: { title: "What the tour did", schema: Tour },
  whoami: { title: "Which accounts act, and at which backend", schema: Whoami },
};
