import type { AgentPart } from "#protocol/agent-parts";
import { createTurnTracker } from "#protocol/agent-turn";
import { isGenerationEnd, type NumberedPart, type StreamPart, UNLOGGED_STEP } from "#protocol/events";

/**
 * Merges one turn from two sources: the stream of an agent server, and the log of the conversation with its reports.
 * The stream is ahead and has smaller pieces; the log has everything else and what the stream lost. Everything is
 * emitted once.
 *
 * Parts of the log keep their numbers; parts of the stream get numbers between the last and the next of the log.
 */
export type TurnMerger = {
  /** Returns the stream parts to show now. Until the log starts the turn, they are held back. */
  told(parts: AgentPart[]): NumberedPart[];
  /** Returns the parts to show for a part of the log, which may belong to another turn. */
  log(part: NumberedPart): NumberedPart[];
  /** Switches to the log after the stream ended, and returns what the log has beyond it. */
  toLog(): NumberedPart[];
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
  isKept(): boolean;
  /** Returns the error with which the log ended the turn while the stream continues. */
  givenUp(): Extract<StreamPart, { type: "error" }> | undefined;
};

/** @param label who answers, as the source of what tools came to */
export function createTurnMerger(generationId: string, label: string): TurnMerger {
  const heard = createTurnTracker(label);
  const kept = createKept();
  const early: AgentPart[] = [];
  let held: StreamPart[] = [];
  let streaming = true;
  let begun = false;
  let own = false;
  let over = false;
  let closed = false;
  let hasTold = false;
  let givenUp: NumberedPart | undefined;
  let [last, beside] = [0, 0];
  const numbered = (parts: StreamPart[]): NumberedPart[] =>
    parts.map((part) => {
      beside += 1;
      return { number: last + beside * UNLOGGED_STEP, part };
    });
  const advance = (number: number) => {
    if (number > last) [last, beside] = [number, 0];
  };
  const collect = textCollector((id, text) => heard.report({ type: "text", sessionId: "", id, text }).parts);
  const ofLog = (part: StreamPart): StreamPart[] => {
    if (!hasTold) return [part];
    if (part.type === "tool-input-available" || part.type === "tool-output-available") return takeCall(heard, part);
    if (part.type === "tool-output-error") return takeCall(heard, part);
    return collect.take(part);
  };
  const toLog = () => {
    streaming = false;
    const waiting = held;
    held = [];
    const parts = numbered(waiting.flatMap(ofLog));
    if (!givenUp) return parts;
    over = true;
    closed = true;
    return [...parts, ...numbered([givenUp.part])];
  };
  const begin = () => {
    begun = true;
    return numbered(early.splice(0));
  };
  const ended = (one: NumberedPart): NumberedPart[] => {
    if (streaming && one.part.type === "error") {
      givenUp = one;
      return [];
    }
    const parts = [...toLog(), ...numbered([...collect.rest(), ...heard.close()])];
    const known = over;
    over = true;
    closed = true;
    advance(one.number);
    return known ? parts : [...parts, one];
  };
  return {
    told(parts) {
      if (!streaming || over) return [];
      const fresh = heard.take(parts);
      hasTold ||= fresh.length > 0;
      if (begun) return numbered(fresh);
      early.push(...fresh);
      return [];
    },
    log(one) {
      const { number, part } = one;
      if (part.type === "start") own = part.messageMetadata?.generation_id === generationId;
      if (closed || !own) {
        advance(number);
        return [one];
      }
      if (isGenerationEnd(part)) return ended(one);
      advance(number);
      if (part.type === "start") return [one, ...begin()];
      if (!isContent(part)) return [one];
      kept.note(part);
      if (streaming) held.push(part);
      else return hasTold ? numbered(ofLog(part)) : [one];
      return [];
    },
    toLog,
    begin,
    end(part) {
      streaming = false;
      over = true;
      return numbered([...heard.close(), part]);
    },
    hasBegun: () => begun,
    isOver: () => over,
    isClosed: () => closed,
    isKept: () =>
      kept.isWhole() &&
      (heard.getText() === "" ? heard.isComplete() && kept.has(heard.getCallIds()) : heard.isReported()),
    givenUp: () => (givenUp?.part.type === "error" ? givenUp.part : undefined),
  };
}

type Heard = ReturnType<typeof createTurnTracker>;
type CallPart = Extract<StreamPart, { type: "tool-input-available" | "tool-output-available" | "tool-output-error" }>;

/** Returns a call of the log, unless the stream had it. The log stores an agent server's calls unchanged. */
function takeCall(heard: Heard, part: CallPart): StreamPart[] {
  return heard.take([part as AgentPart]);
}

/** Tracks the calls that the log has. */
function createKept(): { note(part: StreamPart): void; isWhole(): boolean; has(calls: string[]): boolean } {
  const calls = new Map<string, boolean>();
  return {
    note(part) {
      if (part.type === "tool-input-available" && !calls.has(part.toolCallId)) calls.set(part.toolCallId, false);
      if (part.type === "tool-output-available" || part.type === "tool-output-error") calls.set(part.toolCallId, true);
    },
    isWhole: () => [...calls.values()].every(Boolean),
    has: (wanted) => wanted.every((call) => calls.get(call) === true),
  };
}

/** Collects the texts of the log, and passes on each complete one. */
function textCollector(whole: (id: string, text: string) => StreamPart[]) {
  let open: { id: string; text: string } | undefined;
  const rest = () => {
    const one = open;
    open = undefined;
    return one && one.text !== "" ? whole(one.id, one.text) : [];
  };
  const take = (part: StreamPart): StreamPart[] => {
    if (part.type === "text-start") {
      const before = rest();
      open = { id: part.id, text: "" };
      return before;
    }
    if (part.type === "text-delta") open = { id: part.id, text: (open?.text ?? "") + part.delta };
    return part.type === "text-end" ? rest() : [];
  };
  return { take, rest };
}

function isContent({ type }: StreamPart): boolean {
  return type.startsWith("text-") || type.startsWith("reasoning-") || type.startsWith("tool-");
}
