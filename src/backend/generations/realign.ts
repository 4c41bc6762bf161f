import type { StreamPart } from "#protocol/events";

/** The part of an interrupted model step that is in the log: its texts so far, and the calls whose input had begun. */
export type LoggedStep = {
  begun: boolean;
  open?: { id: string; type: "text" | "reasoning" };
  text: string;
  calls: Map<string, string>;
};

/** A text that replaces a cut-off one because the new step differs. */
const AGAIN = "-again";
/** Suffix of a text that continues a closed one. */
const ON = "-on";

/** Reads the logged part of a generation's newest step if it was interrupted. */
export function readLoggedStep(parts: StreamPart[]): LoggedStep {
  const start = parts.findLastIndex(({ type }) => type === "start-step");
  const step = parts.slice(start + 1);
  if (start < 0 || step.some(({ type }) => type === "finish-step")) return { begun: false, text: "", calls: new Map() };
  const logged: LoggedStep = { begun: true, text: "", calls: new Map() };
  for (const part of step) {
    if (part.type === "text-start") logged.open = { id: part.id, type: "text" };
    if (part.type === "text-start" && part.id.endsWith(AGAIN)) logged.text = "";
    if (part.type === "reasoning-start") logged.open = { id: part.id, type: "reasoning" };
    if (part.type === "text-delta") logged.text += part.delta;
    if (part.type === "text-end" || part.type === "reasoning-end") delete logged.open;
    if (part.type === "tool-input-start") logged.calls.set(part.toolCallId, part.toolName);
    if (ENDS_CALL.has(part.type)) logged.calls.delete(String((part as { toolCallId?: string }).toolCallId));
  }
  return logged;
}

/** Closes what a step that is not repeated left open, except for calls that are reported separately. */
export function closeStep({ open, calls }: LoggedStep, reportedIds: string[] = []): StreamPart[] {
  const cutCalls = [...calls].filter(([id]) => !reportedIds.includes(id));
  return [
    ...(open ? [{ type: `${open.type}-end`, id: open.id } as const] : []),
    ...cutCalls.map(([toolCallId, toolName]) => cutOff(toolCallId, toolName)),
  ];
}

/**
 * Realigns a step that is repeated after a crash with what followers have seen. While both agree, only new text is
 * written. Once they differ, the new text starts separately, and calls that did not come again are reported as cut off.
 * @returns a function from each part of the new step to the parts for the log
 */
export function createRealigner(logged: LoggedStep): (part: StreamPart) => StreamPart[] {
  if (!logged.begun) return (part) => [part];
  const state: State = { text: "", hasNewText: false, isComplete: false, openTexts: new Set(), renamed: new Map() };
  let hasStarted = false;
  return (part) => {
    if (state.isComplete) return [part];
    switch (part.type) {
      case "start-step":
        if (hasStarted) return [part];
        hasStarted = true;
        return [];
      case "reasoning-start":
      case "text-start":
        return state.hasNewText ? beginPart(part, state) : [];
      case "reasoning-delta":
        return state.openTexts.has(part.id) ? [part] : [];
      case "text-delta":
        return state.hasNewText ? toNewTextParts(part, state) : alignText(part, state, logged);
      case "reasoning-end":
        return state.openTexts.delete(part.id) ? [part] : [];
      case "text-end":
        if (state.hasNewText) return state.openTexts.delete(part.id) ? [rename(part, state)] : [];
        return state.text.length < logged.text.length ? [] : closeOpenPart(logged);
      case "tool-input-start":
        return logged.calls.has(part.toolCallId) ? [] : [...finishLoggedText(logged, state), part];
      case "tool-input-delta":
        return logged.calls.has(part.toolCallId) ? [] : [part];
      case "tool-input-available":
        logged.calls.delete(part.toolCallId);
        return [...finishLoggedText(logged, state), part];
      case "finish-step":
        state.isComplete = true;
        return [...closeStep(logged), part];
      default:
        return [part];
    }
  };
}

type State = {
  /** Text of the new step so far. */
  text: string;
  /** The new step has text that is not in the log. */
  hasNewText: boolean;
  /** The step is complete; later steps are new. */
  isComplete: boolean;
  /** Texts that are open in the log. */
  openTexts: Set<string>;
  renamed: Map<string, string>;
};
type TextDelta = Extract<StreamPart, { type: "text-delta" }>;

const ENDS_CALL = new Set<StreamPart["type"]>([
  "tool-input-error",
  "tool-output-available",
  "tool-output-error",
  "tool-output-denied",
]);

function alignText(part: TextDelta, state: State, logged: LoggedStep): StreamPart[] {
  state.text += part.delta;
  if (logged.text.startsWith(state.text)) return [];
  state.hasNewText = true;
  // Everything that was seen has been repeated. From here on, the text is new.
  const newText = state.text.startsWith(logged.text) ? state.text.slice(logged.text.length) : undefined;
  if (newText !== undefined && logged.open?.type === "text") {
    const { id } = logged.open;
    state.renamed.set(part.id, id);
    state.openTexts.add(part.id);
    delete logged.open;
    return [{ type: "text-delta", id, delta: newText }];
  }
  const id = part.id + (newText === undefined ? AGAIN : ON);
  return [...closeOpenPart(logged), ...toNewTextParts({ ...part, delta: newText ?? state.text }, state, id)];
}

/** A text whose beginning was skipped, and that was closed meanwhile, continues as a separate one. */
function toNewTextParts(part: TextDelta, state: State, id = part.id + ON): StreamPart[] {
  if (state.openTexts.has(part.id)) return [rename(part, state)];
  state.renamed.set(part.id, id);
  state.openTexts.add(part.id);
  return [{ type: "text-start", id }, rename(part, state)];
}

function beginPart(part: Extract<StreamPart, { type: "text-start" | "reasoning-start" }>, state: State): StreamPart[] {
  state.openTexts.add(part.id);
  return [part];
}

function rename<P extends { id: string }>(part: P, { renamed: ids }: State): P {
  return { ...part, id: ids.get(part.id) ?? part.id };
}

function closeOpenPart(logged: LoggedStep): StreamPart[] {
  const { open } = logged;
  delete logged.open;
  return open ? [{ type: `${open.type}-end`, id: open.id }] : [];
}

/** Closes the logged text: the new step is shorter, or continues with its calls. */
function finishLoggedText(logged: LoggedStep, state: State): StreamPart[] {
  state.hasNewText = true;
  return closeOpenPart(logged);
}

function cutOff(toolCallId: string, toolName: string): StreamPart {
  return { type: "tool-input-error", toolCallId, toolName, errorText: "This call was cut off and not made." };
}
