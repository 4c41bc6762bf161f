import type * as z from "zod/mini";
import type {
  AuthAnswer,
  ClientMode,
  ConversationsResponse,
  ConversationView,
  GenerationView,
  Grant,
  GrantTest,
  GrantTestResponse,
  InteractionAnswer,
  InteractionAnswered,
  PendingRequest,
  PoliciesChange,
  Policy,
} from "#protocol/conversations";

/** Calls about conversations, what waits for a person in them, and what may run by itself (protocol sections 3 and 5). */
export type ConversationCalls = {
  /** `GET /sessions`, newest first. `page` counts from 1. */
  sessions(options?: { page?: number; limit?: number }): Promise<ConversationsResponse>;
  session(id: string): Promise<ConversationView>;
  renameSession(id: string, title: string): Promise<ConversationView>;
  deleteSession(id: string): Promise<void>;
  /** `PUT /sessions/:id/clients/:client_id`: whether this client can answer approvals and forms. */
  setClient(sessionId: string, clientId: string, mode: ClientMode): Promise<void>;
  /** The first answer wins. @throws Problem INTERACTION_CLOSED with what won in `details.answered` */
  answerInteraction(sessionId: string, interactionId: string, answer: InteractionAnswer): Promise<InteractionAnswered>;
  /** `GET /pending`: all that waits for a person, or null where the backend has only what the guide has. */
  pending(): Promise<PendingRequest[] | null>;
  generation(id: string): Promise<GenerationView>;
  /** `POST /generations/:id/auth`: a service that the generation waits for was connected, or was not. */
  answerAuth(generationId: string, answer: AuthAnswer): Promise<GenerationView>;
  cancelGeneration(id: string): Promise<GenerationView>;
  policies(): Promise<Policy[]>;
  /** Change these policies, and get all; mode `null` forgets one. */
  putPolicies(policies: z.infer<typeof PoliciesChange>["policies"]): Promise<Policy[]>;
  approvals(): Promise<Grant[]>;
  /** Whether a call would ask, and why. Runs nothing. */
  testApproval(test: z.infer<typeof GrantTest>): Promise<GrantTestResponse>;
  revokeApproval(id: string): Promise<void>;
};
