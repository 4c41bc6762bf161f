import type { ApprovalScope, InputField, Preview } from "#protocol/interactions";

/**
 * A question of a tool to the user while it runs. The tool does not wait in memory: its handler ends at the request and
 * runs again from the start after the answer. So it must not change anything before a request.
 */
export type ToolInteraction = InteractionPrompt & {
  /** Called with the answer. Decides the outcome of the call. */
  onResponse(response: UserResponse): InteractionOutcome | Promise<InteractionOutcome>;
  /** Called when the request expires. Without it, the call fails with TIMED_OUT. */
  onTimeout?(): InteractionOutcome | Promise<InteractionOutcome>;
  /** Aborted when the requested thing happened elsewhere. This counts as submitted, without values. */
  done?: AbortSignal;
  /** Called when the generation is canceled while the request is open. */
  onCancel?(): void;
};

/** The request as shown, and its possible answers. */
export type InteractionPrompt = {
  type: "approval" | "input";
  prompt?: string;
  /** Approvals only: exactly what would be done, and whether the arguments may be edited. */
  preview?: Preview;
  editable?: boolean;
  /** Approvals only: scopes to offer, with their wording. Default: once and session. */
  approvalScopes?: { scope: ApprovalScope; words: string }[];
  inputSchema?: { type: "form"; fields: InputField[] };
  /** An address that the user may open. The prompt shows it in full. */
  link?: string;
  /** Shown above a form that is asked again with the previous values. */
  error?: string;
  initialValues?: Record<string, unknown>;
  presentation?: "tool" | "questionnaire";
  completedView?: { show_inputs?: boolean; summary_template?: string };
  /** Time until the request expires, in ms. Default: what the user or the operator chose, or a day. */
  timeoutMs?: number;
};

/** The user's answer. */
export type UserResponse = {
  /** The request that was answered. A handler that runs again may ask something else. */
  asked?: Pick<InteractionPrompt, "prompt" | "inputSchema">;
  action: "approve" | "deny" | "submit" | "cancel";
  approvalScope?: ApprovalScope;
  input?: Record<string, unknown>;
  /** The arguments as the user edited them, not validated yet. */
  editedArgs?: Record<string, unknown>;
  reason?: string;
};

/**
 * How the call continues: it ends with this result, it asks again (at most five times), or the model learns that the
 * answer will come later. A pending request stays open for a day, and its answer starts a new turn.
 */
export type InteractionOutcome =
  | { complete: unknown }
  | { reprompt: InteractionPrompt }
  | { pending: { message: string; queued?: boolean } };

/** The part of a tool's context that talks to the user. */
export type Interactive = {
  /** Whether a connected client can answer. */
  interaction: { available: boolean };
  /**
   * Asks the user.
   *
   * @returns the value that the request's own callbacks completed it with
   * @throws Problem INTERACTION_UNAVAILABLE, or TIMED_OUT without `onTimeout`
   */
  requestInteraction(request: ToolInteraction): Promise<unknown>;
  /** Logs one line of progress for connected clients. */
  log(text: string): void;
};
