import type { ApprovalScope, InputField, Preview } from "#protocol/events";

/**
 * What a tool may ask a person while it runs (seed: client-interactive tools). The tool does not wait in memory: its handler is left at the
 * request, and run again from its beginning once there is an answer, so whatever it does before a request must change nothing.
 */
export type ToolInteraction = InteractionPrompt & {
  /** Called with the answer. What it decides is the outcome of the call. */
  onResponse(response: UserResponse): InteractionOutcome | Promise<InteractionOutcome>;
  /** Called when nobody answered in time; without it the call fails and says so. */
  onTimeout?(): InteractionOutcome | Promise<InteractionOutcome>;
  /** Fires when what was asked for has come about by itself: it counts as submitted, without values. */
  done?: AbortSignal;
  /** Called when the generation is cancelled while it waits. */
  onCancel?(): void;
};

/** What is shown, and what may be answered. */
export type InteractionPrompt = {
  type: "approval" | "input";
  prompt?: string;
  /** Approvals: what exactly would be done, and whether its arguments may be edited. */
  preview?: Preview;
  editable?: boolean;
  /** Approvals: scopes to offer, in the words of the grant; once and session where nothing is said. */
  approvalScopes?: { scope: ApprovalScope; words: string }[];
  inputSchema?: { type: "form"; fields: InputField[] };
  /** An address that the person may open, whole as it is shown in the prompt. */
  link?: string;
  /** Shown above a form that is asked for once more, with what was filled in before. */
  error?: string;
  initialValues?: Record<string, unknown>;
  presentation?: "tool" | "questionnaire";
  completedView?: { show_inputs?: boolean; summary_template?: string };
  /** Milliseconds until it expires; five minutes where nothing is said. */
  timeoutMs?: number;
};

/** What the person did. */
export type UserResponse = {
  /** What it is the answer to: where a tool is run once more, its request may be another one now. */
  asked?: Pick<InteractionPrompt, "prompt" | "inputSchema">;
  action: "approve" | "deny" | "submit" | "cancel";
  approvalScope?: ApprovalScope;
  input?: Record<string, unknown>;
  /** Arguments as the person changed them; not checked yet. */
  editedArgs?: Record<string, unknown>;
  reason?: string;
};

/**
 * How it goes on: the call is over with this result; ask once more (at most five times); or tell the model that the answer will come later: the
 * person is asked anew, for a day, and what they answer is a message of theirs in a new turn.
 */
export type InteractionOutcome =
  | { complete: unknown }
  | { reprompt: InteractionPrompt }
  | { pending: { message: string; queued?: boolean } };

/** The part of a tool's context that speaks to people. */
export type Interactive = {
  /** Whether anybody who follows the conversation can answer. */
  interaction: { available: boolean };
  /**
   * Ask a person.
   *
   * @returns what the tool's own hooks completed it with
   * @throws Problem INTERACTION_UNAVAILABLE, TIMED_OUT without `onTimeout`
   */
  requestInteraction(request: ToolInteraction): Promise<unknown>;
  /** A line of what the tool is doing, for whoever watches. */
  log(text: string): void;
};
