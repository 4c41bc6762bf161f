import type { LanguageModelMiddleware } from "ai";
import { createCallTransform, type StreamPart } from "./repair-calls.ts";

/**
 * Corrects the names and the arguments of calls. For open models, it also turns thoughts that they leave in their text, as
 * in `<think>…</think>`, into reasoning: the SDK's own middleware knows one tag, and a chain of them loses words when a
 * stream breaks off.
 *
 * @param openModel the name of an open model: some begin inside a thought, since their template has its opening tag
 */
export function createAnswerMiddleware(openModel?: string): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      const calls = createCallTransform((params.tools ?? []).map(({ name }) => name));
      const corrected = stream.pipeThrough(calls);
      if (openModel === undefined) return { ...rest, stream: corrected };
      return {
        ...rest,
        stream: corrected.pipeThrough(createThoughtTransform(findHold(openModel))),
      };
    },
  };
}

/** DeepSeek R1, QwQ, and the thinking editions of Qwen, GLM, Kimi and others. */
const BEGINS_IN_THOUGHT = /(?:^|[^a-z])(?:r1|qwq|think(?:ing|er)?|reason(?:ing|er)?)(?![a-z])/i;

/**
 * Returns which texts of a model may be the rest of a thought. Those of OpenAI's open models begin with the name of a
 * channel, if a server removed the marks of Harmony.
 */
function findHold(model: string): Block["hold"] {
  if (BEGINS_IN_THOUGHT.test(model)) return () => true;
  if (!/gpt-?oss/i.test(model)) return undefined;
  return (text) => text.startsWith("analysis") || "analysis".startsWith(text);
}

/** A thought between the names of channels, `analysis…assistantfinal…`. */
const BARE_THOUGHT = /^\s*analysis(?=.*assistant(?:final|commentary))/s;
const BARE_END = /assistant(?:final|commentary)/;

type Block = {
  id: string;
  pending: string;
  /** Pattern that ends the current thought; null outside of one. */
  closing: RegExp | null;
  open: string | null;
  count: number;
  /** Whether the text may be the rest of a thought, so that it is held until a tag or the end shows which it is. */
  hold: ((text: string) => boolean) | undefined;
  /** The answer is in a tag: `<answer>…</answer>`. */
  isTagged: boolean;
};

function createThoughtTransform(first: Block["hold"]): TransformStream<StreamPart, StreamPart> {
  const blocks = new Map<string, Block>();
  let hold = first;
  return new TransformStream({
    transform(part, controller) {
      const emit = (output: StreamPart) => controller.enqueue(output);
      // The server has split the thoughts off already.
      if (part.type === "reasoning-start") hold = undefined;
      if (part.type === "text-start") {
        blocks.set(part.id, { id: part.id, pending: "", closing: null, open: null, count: 0, hold, isTagged: false });
        hold = undefined;
        return;
      }
      const block = part.type === "text-delta" || part.type === "text-end" ? blocks.get(part.id) : undefined;
      if (block === undefined) return emit(part);
      if (part.type === "text-delta") block.pending += part.delta;
      splitPending(block, emit, part.type === "text-end");
      if (part.type === "text-end") closePiece(block, emit);
    },
  });
}

/** Emits what is certain to be text or thought. The rest may be the beginning of a tag. */
function splitPending(block: Block, emit: (part: StreamPart) => void, isLast: boolean): void {
  if (block.hold) {
    const bare = BARE_THOUGHT.exec(block.pending);
    const tag = findFirst(block.pending, PAIRS.flat());
    if (!bare && !tag && !isLast && block.hold(block.pending.trimStart())) return;
    block.hold = undefined;
    block.closing = bare ? BARE_END : (CLOSINGS.find((closing) => closing === tag?.pattern) ?? null);
    if (bare) block.pending = block.pending.slice(bare[0].length);
  }
  for (;;) {
    const tag = findFirst(block.pending, block.closing ? [block.closing] : [...OPENINGS, MARK]);
    if (!tag) break;
    emitPiece(block, block.pending.slice(0, tag.index), emit);
    block.pending = block.pending.slice(tag.end);
    if (tag.pattern === MARK) continue;
    closePiece(block, emit);
    block.closing = PAIRS.find(([opening]) => opening === tag.pattern)?.[1] ?? null;
  }
  const tailLength = isLast ? 0 : (PARTIAL_TAG.exec(block.pending)?.[0].length ?? 0);
  const end = block.pending.length - tailLength;
  emitPiece(block, block.pending.slice(0, end), emit);
  block.pending = block.pending.slice(end);
}

function emitPiece(block: Block, piece: string, emit: (part: StreamPart) => void): void {
  // The line breaks around a thought belong to its tags.
  let delta = block.open === null && (block.count > 0 || block.closing) ? piece.trimStart() : piece;
  if (block.open === null && !block.closing && ANSWER_TAG.test(delta)) {
    block.isTagged = true;
    delta = delta.replace(ANSWER_TAG, "");
  }
  if (block.isTagged) delta = delta.replace(/(?<!\s)\s*<\/answer\s*>\s*/i, "");
  if (delta === "") return;
  const isThought = block.closing !== null;
  if (block.open === null) {
    block.open = block.count === 0 ? block.id : `${block.id}-${block.count}`;
    block.count++;
    emit({ type: isThought ? "reasoning-start" : "text-start", id: block.open });
  }
  emit({ type: isThought ? "reasoning-delta" : "text-delta", id: block.open, delta });
}

function closePiece(block: Block, emit: (part: StreamPart) => void): void {
  if (block.open !== null) emit({ type: block.closing === null ? "text-end" : "reasoning-end", id: block.open });
  block.open = null;
}

function findFirst(text: string, patterns: RegExp[]) {
  const tags = patterns.flatMap((pattern) => {
    const match = pattern.exec(text);
    return match ? [{ pattern, index: match.index, end: match.index + match[0].length }] : [];
  });
  return tags.sort((a, b) => a.index - b.index)[0];
}

/** The tag of the answer, as models after R1 write it behind their thoughts. */
const ANSWER_TAG = /^\s*<answer\s*>\s*/i;

/** How thoughts begin and end: with tags, and in Mistral's, Kimi's, Cohere's and OpenAI's (Harmony) own marks. */
const PAIRS: [opening: RegExp, closing: RegExp][] = [
  ...["think", "thinking", "thought", "reasoning", "seed:think", "mm:think"].map((name): [RegExp, RegExp] => [
    new RegExp(`<${name}\\s*>`, "i"),
    new RegExp(`</${name}\\s*>`, "i"),
  ]),
  [/\[THINK\]/, /\[\/THINK\]/],
  [/◁think▷/, /◁\/think▷/],
  [/<\|START_THINKING\|>/, /<\|END_THINKING\|>/],
  [/<\|begin_of_thought\|>/, /<\|end_of_thought\|>/],
  [/(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>/, /<\|end\|>/],
];
const OPENINGS = PAIRS.map(([opening]) => opening);
const CLOSINGS = PAIRS.map(([, closing]) => closing);

/** Marks around the answer itself. */
const MARK =
  /(?:<\|start\|>assistant)?<\|channel\|>(?:final|commentary)<\|message\|>|<\|(?:return|end|(?:START|END)_RESPONSE)\|>/;

/** The end of a text that a tag or mark may begin in. */
const PARTIAL_TAG = /(?:<\/?[a-z:]{0,10}\s*|<\|[\w|<>]{0,60}|\[\/?[A-Z]{0,5}|◁\/?[a-z]{0,5})$/i;
