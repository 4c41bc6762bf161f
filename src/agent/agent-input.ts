import type { LanguageModel, ModelMessage } from "ai";
import type { Instruction } from "#protocol/ask";
import type { CallPorts, CheckedCall } from "./calls/checked-call.ts";
import type { DryRun } from "./calls/dry-run.ts";
import type { PastCall } from "./calls/repetition.ts";
import type { OpenStep } from "./events.ts";
import type { ServiceState } from "./instructions.ts";
import type { ModelKey } from "./models/key.ts";
import type { AgentObserver } from "./observe.ts";
import type { ExpectedOutput, OutputMismatch } from "./output.ts";
import type { AttachmentSource } from "./steps/attachments.ts";
import type { AgentTool } from "./tool.ts";

/** Input of the agent loop. */
export type AgentInput = {
  /** Observes each step, model call and tool call. */
  watch?: AgentObserver;
  messages: ModelMessage[];
  tools: AgentTool[];
  model: LanguageModel;
  /** Names the model in error messages. */
  label: string;
  /** The model's name in settings, if its tokens count. */
  modelName?: string;
  /** The model's API key, for error messages. */
  key?: ModelKey;
  /** Aborted when the answer is no longer needed. No further model or tool call is made. */
  signal: AbortSignal;
  /** Current time in ms since the epoch, passed to the model. */
  now: number;
  /** IANA name of the user's time zone, passed to the model. */
  timeZone?: string;
  /** The user's standing instructions and those of a trusted project, passed to the model. */
  instructions?: Instruction[];
  /** Defaults of services, by `service.thing`, passed to the model. */
  defaults?: Record<string, string>;
  /** The services and their connections, passed to the model. Without it, those of the tools. */
  services?: ServiceState[];
  /** Returns whether a call needs approval. One such call holds its whole step. */
  needsApproval(call: CheckedCall): boolean | Promise<boolean>;
  /**
   * A step that was started earlier, or held and now approved. Its calls run first, to the end even if the signal has
   * fired.
   */
  open?: OpenStep;
  /** Number of model steps before this run. */
  steps?: number;
  /** Calls made in those steps. */
  past?: PastCall[];
  /** Selects the tools offered to the model in a step. Without it, the model gets all of them. */
  offers?(messages: ModelMessage[], past: PastCall[]): AgentTool[];
  /** Sends tool results once and no longer than a model takes, as language models get them. The offline planner gets all. */
  slim?: boolean;
  /** The value that the answer must be. The model gets one chance to correct a mismatch. */
  expectedOutput?: ExpectedOutput;
  /** The mismatch that the model was asked to correct. */
  mismatch?: OutputMismatch;
  /** The files of the conversation. Without it, the model gets their names only. */
  files?: AttachmentSource;
  /** Maximum number of model steps, if lower than the limit of the loop. */
  mostSteps?: number;
  /** How calls reach the user. Without it, a missing connection ends the generation. */
  calls?: CallPorts;
  /** When set, only reads are sent. */
  dryRun?: DryRun;
  /** Throws a problem if an approved call differs from the one that the user saw. Only without {@link calls}. */
  verify?(call: CheckedCall): Promise<void>;
  /** The user approves every change. The model is asked for all of them in one step. */
  plan?: boolean;
  /** Returns whether an error ends the run instead of becoming a call's result, such as an unavailable database. */
  isFatal?(error: unknown): boolean;
};

/** A generation while the loop runs it. */
export type Turn = {
  messages: ModelMessage[];
  memory: PastCall[];
  mismatch?: OutputMismatch;
  /** Longest tool result that the model took, in characters. */
  resultLimit?: number;
  /** The model refused the files, so it gets their names only. */
  withoutFiles?: true;
};
