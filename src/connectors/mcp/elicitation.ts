import { isDeepStrictEqual } from "node:util";
import { isLoopbackHost } from "#net/addresses";
import { clean, cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { InteractionOutcome, InteractionPrompt, Interactive, UserResponse } from "../interaction.ts";

import { type FormField, parseFormFields } from "./form.ts";
import type { ElicitationAnswer, ElicitationRequest, HandleElicitation } from "./types.ts";

/** A server may ask so often in one call, and so much at once (bytes as JSON). */
const MOST_ASKED = 5;
const LARGEST = 64 * 1024;
const LONGEST_MESSAGE = 2_000;

/** Milliseconds for an answer: before that, no connection is cut for being quiet. */
const TIME_LIMIT = 4.5 * 60_000;

/** Characters of an address that is shown whole. */
const LONGEST_URL = 2_000;

/** Whose card it is: the server's title, and where it is. */
export type ElicitationSource = { title: string; where: string };

/** What became of the questions of one call besides its result, for the text that the model and the person get. */
export type ElicitationHandler = { answer: HandleElicitation; notes(): string[] };

/**
 * How a server asks a person in the middle of a call (MCP, "Elicitation"): a form or an address as a card of kay, which says who asks. What the
 * person gives is checked before it leaves. A server that asks too much, or what cannot be asked, is told "cancel"; so is one whose
 * question nobody can answer here.
 */
export function createElicitationHandler(
  people: Interactive | undefined,
  asking: ElicitationSource,
): ElicitationHandler {
  const notes: string[] = [];
  let count = 0;
  const cancelled = (note: string): ElicitationAnswer => {
    notes.push(note);
    return { action: "cancel" };
  };
  return {
    notes: () => notes,
    answer: async (request, _over, done) => {
      if (++count > MOST_ASKED)
        return cancelled(`${asking.title} asked more than ${MOST_ASKED} times and got no more answers.`);
      if (Buffer.byteLength(JSON.stringify(request)) > LARGEST)
        return cancelled(`${asking.title} asked for too much at once.`);
      const question = getQuestion(request, asking);
      if ("problem" in question) return cancelled(question.problem);
      if (!people) return cancelled(nobody(asking));
      try {
        return await ask(people, question, done);
      } catch (error) {
        if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return cancelled(nobody(asking));
        if (error instanceof Problem && error.code === "CANCELLED") return { action: "cancel" };
        if (error instanceof Problem && error.code === "INVALID_REQUEST") return cancelled(error.message);
        throw error;
      }
    },
  };
}

function nobody({ title }: ElicitationSource): string {
  return `interaction_unavailable: ${title} wanted to ask the person something, and nobody can be asked here; it was told that the question was cancelled.`;
}

type Read = { answer: ElicitationAnswer } | { wrong: string };

/** A card, and what an answer to it is worth. */
type Question = {
  prompt: InteractionPrompt;
  read(input: Record<string, unknown>): Read;
};

async function ask(
  people: Interactive,
  { prompt: card, read }: Question,
  done: AbortSignal | undefined,
): Promise<ElicitationAnswer> {
  const prompt = { ...card, timeoutMs: TIME_LIMIT };
  const answered = (response: UserResponse): InteractionOutcome => {
    const { asked } = response;
    // Made once more, the call may ask something else: what was said to another question is no answer to this one.
    if (asked && !isDeepStrictEqual(asked, { prompt: prompt.prompt, inputSchema: prompt.inputSchema }))
      return { reprompt: { ...prompt, error: "The server asks something else now.", initialValues: {} } };
    // A no is the person's own; leaving the form is none.
    if (response.action !== "submit")
      return { complete: { action: response.action === "deny" ? "decline" : "cancel" } };
    const result = read(response.input ?? {});
    return "wrong" in result
      ? { reprompt: { ...prompt, error: result.wrong, initialValues: response.input ?? {} } }
      : { complete: result.answer };
  };
  return (await people.requestInteraction({
    ...prompt,
    ...(done ? { done } : {}),
    onResponse: answered,
    onTimeout: () => ({ complete: { action: "cancel" } }),
  })) as ElicitationAnswer;
}

function getQuestion(request: ElicitationRequest, asking: ElicitationSource): Question | { problem: string } {
  if (request.mode === "url") return urlQuestion(request, asking);
  const fields = parseFormFields(request.requestedSchema);
  if (!fields) return { problem: `${asking.title} asked with a form that kay cannot show.` };
  return {
    prompt: {
      type: "input",
      prompt: `${formatSaid(request.message)}\n\n${who(asking)} What you enter goes there. Enter no passwords, keys or codes.`,
      inputSchema: { type: "form", fields: fields.map(({ field }) => field) },
      completedView: { show_inputs: true },
    },
    read: (input) => formAnswer(fields, input),
  };
}

/** Everything that is wrong is in one sentence at the first of it, since a card shows one. */
function formAnswer(fields: FormField[], input: Record<string, unknown>): Read {
  const content: Record<string, string | number | boolean | string[]> = {};
  for (const { field, read } of fields) {
    const result = read(Object.hasOwn(input, field.id) ? input[field.id] : undefined);
    if ("wrong" in result) return { wrong: `“${field.label}” ${result.wrong}.` };
    if (result.value !== undefined) content[field.id] = result.value as string;
  }
  return { answer: { action: "accept", content } };
}

type UrlRequest = Extract<ElicitationRequest, { mode: "url" }>;

/** The person goes there, or does not; kay never does, and nothing of kay's goes along. */
function urlQuestion({ message, url: given }: UrlRequest, asking: ElicitationSource): Question | { problem: string } {
  const url = safeLink(given);
  if (!url) return { problem: `${asking.title} wanted an address opened that kay does not show: it is not https.` };
  const place = url.hostname.includes("xn--") ? `${url.host} (written in other letters; look closely)` : url.host;
  return {
    prompt: {
      type: "input",
      prompt: `${formatSaid(message)}\n\nOpen in the browser, on ${place}:\n${url.href}\n\n${who(asking)} kay sends nothing along and does not see what you do there.`,
      link: url.href,
      inputSchema: { type: "form", fields: [] },
    },
    read: () => ({ answer: { action: "accept" } }),
  };
}

/** https, or http on this machine; without a name or password in it. */
function safeLink(given: string): URL | undefined {
  if (given.length > LONGEST_URL || !URL.canParse(given)) return undefined;
  const url = new URL(given);
  const fits = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
  return fits && url.username === "" && url.password === "" ? url : undefined;
}

function formatSaid(message: string): string {
  return clean(message, { max: LONGEST_MESSAGE })
    .trim()
    .replace(/\n{3,}/g, "\n\n");
}

function who({ title, where }: ElicitationSource): string {
  return `This is asked by the MCP server ${cleanLine(title, 60)} (${cleanLine(where, 120)}), not by kay.`;
}
