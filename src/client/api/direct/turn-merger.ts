import type { AgentPart } from "#protocol/agent-parts";
import { createTurnTracker } from "#protocol/agent-turn";
import type { StreamPart } from "#protocol/events";
import { isGenerationEnd, type NumberedPart, UNLOGGED_STEP } from "#protocol/numbered-parts";

/**
 * Merges one turn from two sources: the stream of an agent server, and the log of the conversation with its reports.
 * The stream is ahead and has smaller pieces; the log has everything else and what the stream lost. Emits each part
 * once.
 *
 * Parts of the log keep their numbers; parts of the stream get numbers between the last and the next of the log.
 */
export type TurnMerger = {
  /** Returns the stream parts to show now. Until the log starts the turn, they are held back. */
  addStreamed(parts: AgentPart[]): NumberedPart[];
  /** Returns the parts to show for a part of the log, which may belong to another turn. */
  addLogged(part: NumberedPart): NumberedPart[];
  /** Switches to the log after the stream ended, and returns what the log has beyond it. */
  switchToLog(): NumberedPart[];
  /** Returns the parts held back, once the log has started the turn. */
  begin(): NumberedPart[];
  /** Ends the turn without the log. */
  end(part: StreamPart): NumberedPart[];
  hasBegun(): boolean;
  /** Whether the turn has ended, by the log or without it. */
  isOver(): boolean;
  /** Whether the log has ended the turn. */
  isClosed(): boolean;
  /** Whether the log has everything that was streamed. */
  isLogged(): boolean;
  /** Returns the error with which the log ended the turn while the stream continues. */
  getLoggedError(): Extract<StreamPart, { type: "error" }> | undefined;
};

/**
 * Creates a merger for one generation.
 *
 * @param label name of the agent server, shown as the source of tool results
 */
export function createTurnMerger(generationId: string, label: string): TurnMerger {
  const tracker = createTurnTracker(label);
  const loggedCalls = trackLoggedCalls();
  const early: AgentPart[] = [];
  let heldParts: StreamPart[] = [];
  let streaming = true;
  let hasBegun = false;
  let isOwn = false;
  let isOver = false;
  let closed = false;
  let hasStreamed = false;
  let givenUp: NumberedPart | undefined;
  let [last, beside] = [0, 0];
  const numberParts = (parts: StreamPart[]): NumberedPart[] =>
    parts.map((part) => {
      beside += 1;
      return { number: last + beside * UNLOGGED_STEP, part };
    });
  const advance = (number: number) => {
    if (number > last) [last, beside] = [number, 0];
  };
  const collect = createTextCollector((id, text) => tracker.report({ type: "text", sessionId: "", id, text }).parts);
  const takeLogged = (part: StreamPart): StreamPart[] => {
    if (!hasStreamed || part.type === "data-status") return [part];
    if (part.type === "tool-input-available" || part.type === "tool-output-available") return takeCall(tracker, part);
    if (part.type === "tool-output-error") return takeCall(tracker, part);
    return collect.take(part);
  };
  const toLog = () => {
    streaming = false;
    const waiting = heldParts;
    heldParts = [];
    const parts = numberParts(waiting.flatMap(takeLogged));
    if (!givenUp) return parts;
    isOver = true;
    closed = true;
    return [...parts, ...numberParts([givenUp.part])];
  };
  const begin = () => {
    hasBegun = true;
    return numberParts(early.splice(0));
  };
  const endByLog = (item: NumberedPart): NumberedPart[] => {
    if (streaming && item.part.type === "error") {
      givenUp = item;
      return [];
    }
    const parts = [...toLog(), ...numberParts([...collect.rest(), ...tracker.close()])];
    const wasOver = isOver;
    isOver = true;
    closed = true;
    advance(item.number);
    return wasOver ? parts : [...parts, item];
  };
  return {
    addStreamed(parts) {
      if (!streaming || isOver) return [];
      const fresh = tracker.take(parts);
      hasStreamed ||= fresh.length > 0;
      if (hasBegun) return numberParts(fresh);
      early.push(...fresh);
      return [];
    },
    addLogged(item) {
      const { number, part } = item;
      if (part.type === "start") isOwn = part.messageMetadata?.generation_id === generationId;
      if (closed || !isOwn) {
        advance(number);
        return [item];
      }
      if (isGenerationEnd(part)) return endByLog(item);
      advance(number);
      if (part.type === "start") return [item, ...begin()];
      // The status of an ended turn follows its last text, which the stream may still have to show.
      if (!isContent(part) && !(streaming && hasEndStatus(part))) return [item];
      loggedCalls.note(part);
      if (streaming) heldParts.push(part);
      else return hasStreamed ? numberParts(takeLogged(part)) : [item];
      return [];
    },
    switchToLog: toLog,
    begin,
    end(part) {
      streaming = false;
      isOver = true;
      return numberParts([...tracker.close(), part]);
    },
    hasBegun: () => hasBegun,
    isOver: () => isOver,
    isClosed: () => closed,
    isLogged: () =>
      loggedCalls.isWhole() &&
      (tracker.getText() === "" ? tracker.isComplete() && loggedCalls.has(tracker.getCallIds()) : tracker.isReported()),
    getLoggedError: () => (givenUp?.part.type === "error" ? givenUp.part : undefined),
  };
}

type Tracker = ReturnType<typeof createTurnTracker>;
type CallPart = Extract<StreamPart, { type: "tool-input-available" | "tool-output-available" | "tool-output-error" }>;

/** Returns a call of the log, unless the stream had it. The log stores an agent server's calls unchanged. */
function takeCall(tracker: Tracker, part: CallPart): StreamPart[] {
  return tracker.take([part as AgentPart]);
}

/** Tracks the calls that the log has. */
function trackLoggedCalls(): { note(part: StreamPart): void; isWhole(): boolean; has(calls: string[]): boolean } {
  const calls = new Map<string, boolean>();
  return {
    note(part) {
      if (part.type === "tool-input-available" && !calls.has(part.toolCallId)) calls.set(part.toolCallId, false);
      if (part.type === "tool-output-available" || part.type === "tool-output-error") calls.set(part.toolCallId, true);
    },
    isWhole: () => [...calls.values()].every(Boolean),
    has: (ids) => ids.every((call) => calls.get(call) === true),
  };
}

/** Collects the texts of the log, and passes on each complete one. */
function createTextCollector(toParts: (id: string, text: string) => StreamPart[]) {
  let open: { id: string; text: string } | undefined;
  const flush = () => {
    const text = open;
    open = undefined;
    return text && text.text !== "" ? toParts(text.id, text.text) : [];
  };
  const take = (part: StreamPart): StreamPart[] => {
    if (part.type === "text-start") {
      const earlierParts = flush();
      open = { id: part.id, text: "" };
      return earlierParts;
    }
    if (part.type === "text-delta") open = { id: part.id, text: (open?.text ?? "") + part.delta };
    return part.type === "text-end" ? flush() : [];
  };
  return { take, rest: flush };
}

function hasEndStatus(part: StreamPart): boolean {
  return part.type === "data-status" && ["completed", "error", "cancelled"].includes(part.data.status);
}

function isContent({ type }: StreamPart): boolean {
  return type.startsWith("text-") || type.startsWith("reasoning-") || type.startsWith("tool-");
}
