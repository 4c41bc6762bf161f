import type { StreamPart } from "#protocol/events";

/** What the log holds of a model step that was cut off: its texts so far, and the calls whose input had begun. */
export type Logged = {
  begun: boolean;
  open?: { id: string; type: "text" | "reasoning" };
  text: string;
  calls: Map<string, string>;
};

/** What the newest step of a generation has in the log, when it was cut off before its end. */
export function loggedStep(parts: StreamPart[]): Logged {
  const from = parts.findLastIndex(({ type }) => type === "start-step");
  const step = parts.slice(from + 1);
  if (from < 0 || step.some(({ type }) => type === "finish-step")) return { begun: false, text: "", calls: new Map() };
  const logged: Logged = { begun: true, text: "", calls: new Map() };
  for (const part of step) {
    if (part.type === "text-start") logged.open = { id: part.id, type: "text" };
    if (part.type === "reasoning-start") logged.open = { id: part.id, type: "reasoning" };
    if (part.type === "text-delta") logged.text += part.delta;
    if (part.type === "text-end" || part.type === "reasoning-end") delete logged.open;
    if (part.type === "tool-input-start") logged.calls.set(part.toolCallId, part.toolName);
  }
  return logged;
}

/**
 * A model step that is made once more after a crash must not say twice what people have seen already. As long as it says the same, only what
 * is new goes on; once it says something else, that begins as a text of its own, and calls that never came are told as cut off.
 *
 * @returns for each part of the new step, what is written to the log
 */
export function realign(logged: Logged): (part: StreamPart) => StreamPart[] {
  if (!logged.begun) return (part) => [part];
  const state = { said: "", own: false, renamed: new Map<string, string>() };
  let started = false;
  const diverge = (): StreamPart[] => {
    state.own = true;
    const close: StreamPart[] = logged.open ? [{ type: `${logged.open.type}-end`, id: logged.open.id }] : [];
    delete logged.open;
    return close;
  };
  return (part) => {
    switch (part.type) {
      case "start-step":
        if (started) return [part];
        started = true;
        return [];
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return state.own ? [part] : [];
      case "text-start":
        return state.own ? [part] : [];
      case "text-delta":
        return state.own ? [renamed(part, state)] : sameOrOwn(part, state, logged, diverge);
      case "text-end":
        if (state.own) return [renamed(part, state)];
        return state.said.length < logged.text.length || !logged.open ? [] : closing(logged);
      case "tool-input-start":
        return logged.calls.has(part.toolCallId) ? [] : [...finishText(logged, state), part];
      case "tool-input-delta":
        return logged.calls.has(part.toolCallId) ? [] : [part];
      case "tool-input-available":
        logged.calls.delete(part.toolCallId);
        return [...finishText(logged, state), part];
      case "finish-step":
      case "error":
      case "abort":
        return [...finishText(logged, state), ...cutOff(logged), part];
      default:
        return [part];
    }
  };
}

type State = { said: string; own: boolean; renamed: Map<string, string> };
type TextDelta = Extract<StreamPart, { type: "text-delta" }>;

function sameOrOwn(part: TextDelta, state: State, logged: Logged, diverge: () => StreamPart[]): StreamPart[] {
  state.said += part.delta;
  if (logged.text.startsWith(state.said)) return [];
  // Everything that was seen was said again: from here on it is new.
  const more = state.said.startsWith(logged.text) ? state.said.slice(logged.text.length) : undefined;
  const open = logged.open?.type === "text" ? logged.open.id : undefined;
  if (more !== undefined && open !== undefined) {
    state.own = true;
    state.renamed.set(part.id, open);
    delete logged.open;
    return [{ type: "text-delta", id: open, delta: more }];
  }
  const id = `${part.id}-again`;
  state.renamed.set(part.id, id);
  return [...diverge(), { type: "text-start", id }, { type: "text-delta", id, delta: more ?? state.said }];
}

function renamed<P extends { id: string }>(part: P, { renamed: ids }: State): P {
  return { ...part, id: ids.get(part.id) ?? part.id };
}

function closing(logged: Logged): StreamPart[] {
  const { open } = logged;
  delete logged.open;
  return open ? [{ type: `${open.type}-end`, id: open.id }] : [];
}

/** The new step said less than what was seen, or goes on to its calls. */
function finishText(logged: Logged, state: State): StreamPart[] {
  state.own = true;
  return closing(logged);
}

function cutOff(logged: Logged): StreamPart[] {
  const lost = [...logged.calls].map(
    ([toolCallId, toolName]): StreamPart => ({
      type: "tool-input-error",
      toolCallId,
      toolName,
      errorText: "This call was cut off and not made.",
    }),
  );
  logged.calls.clear();
  return lost;
}
