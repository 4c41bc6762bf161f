import { isDeepStrictEqual } from "node:util";
import { isLoopbackHost } from "#net/addresses";
import { clean, cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { findSecretQuestion, listFieldTexts } from "#protocol/secret-field";
import type { InteractionOutcome, InteractionPrompt, Interactive, UserResponse } from "../interaction.ts";

import { type FormField, parseFormFields } from "./form.ts";
import type { ElicitationAnswer, ElicitationRequest, HandleElicitation } from "./types.ts";

/** Maximum number of questions in one call, and their size as JSON in bytes. */
const MAX_QUESTIONS = 5;
const MAX_QUESTION_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 2_000;

/** Time limit of an answer in ms. It ends before a proxy or server closes the quiet connection. */
const TIME_LIMIT_MS = 4.5 * 60_000;

/** Longest URL that is shown in full, in characters. */
const MAX_URL_LENGTH = 2_000;

/** The server that asks: its title and location. */
export type ElicitationSource = { title: string; where: string };

/** Answers the questions of one call. `notes` says what happened to them, for the model and the user. */
export type ElicitationHandler = { answer: HandleElicitation; notes(): string[] };

/**
 * Creates the handler for questions that a server asks during a call (MCP, "Elicitation"). It shows a form or URL as a
 * card that names the server, and validates the answer before it is sent. The server gets "cancel" if it asks too much,
 * if kay cannot show the question, or if no client can answer.
 */
export function createElicitationHandler(
  people: Interactive | undefined,
  source: ElicitationSource,
): ElicitationHandler {
  const notes: string[] = [];
  let count = 0;
  const cancelWithNote = (note: string): ElicitationAnswer => {
    notes.push(note);
    return { action: "cancel" };
  };
  return {
    notes: () => notes,
    answer: async (request, _over, completed) => {
      if (++count > MAX_QUESTIONS)
        return cancelWithNote(`${source.title} asked more than ${MAX_QUESTIONS} questions; kay canceled the others.`);
      if (Buffer.byteLength(JSON.stringify(request)) > MAX_QUESTION_BYTES)
        return cancelWithNote(`${source.title} sent a question that is too large.`);
      const question = getQuestion(request, source);
      if ("problem" in question) return cancelWithNote(question.problem);
      if (!people) return cancelWithNote(buildUnavailableNote(source));
      try {
        return await askUser(people, question, completed);
      } catch (error) {
        if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE")
          return cancelWithNote(buildUnavailableNote(source));
        if (error instanceof Problem && error.code === "CANCELLED") return { action: "cancel" };
        if (error instanceof Problem && error.code === "INVALID_REQUEST") return cancelWithNote(error.message);
        throw error;
      }
    },
  };
}

function buildUnavailableNote({ title }: ElicitationSource): string {
  return `interaction_unavailable: ${title} asked the user a question, but no connected client can answer. The question was canceled.`;
}

type Read = { answer: ElicitationAnswer } | { wrong: string };

/** A card, and the function that reads its answer. */
type Question = {
  prompt: InteractionPrompt;
  read(input: Record<string, unknown>): Read;
};

async function askUser(
  people: Interactive,
  { prompt: card, read }: Question,
  completed: AbortSignal | undefined,
): Promise<ElicitationAnswer> {
  const prompt = { ...card, timeoutMs: TIME_LIMIT_MS };
  const handleResponse = (response: UserResponse): InteractionOutcome => {
    const { asked } = response;
    // A repeated call may ask something else. An answer to the previous question must not count for it.
    if (asked && !isDeepStrictEqual(asked, { prompt: prompt.prompt, inputSchema: prompt.inputSchema }))
      return { reprompt: { ...prompt, error: "The server is now asking something else.", initialValues: {} } };
    // Denying is an answer; leaving the form is not.
    if (response.action !== "submit")
      return { complete: { action: response.action === "deny" ? "decline" : "cancel" } };
    const result = read(response.input ?? {});
    return "wrong" in result
      ? { reprompt: { ...prompt, error: result.wrong, initialValues: response.input ?? {} } }
      : { complete: result.answer };
  };
  return (await people.requestInteraction({
    ...prompt,
    ...(completed ? { done: completed } : {}),
    onResponse: handleResponse,
    onTimeout: () => ({ complete: { action: "cancel" } }),
  })) as ElicitationAnswer;
}

function getQuestion(request: ElicitationRequest, source: ElicitationSource): Question | { problem: string } {
  if (request.mode === "url") return buildUrlQuestion(request, source);
  const fields = parseFormFields(request.requestedSchema);
  if (!fields) return { problem: `${source.title} asked with a form that kay cannot show.` };
  const secret = findSecretQuestion(fields.flatMap(({ field }) => listFieldTexts(field)));
  if (secret !== undefined)
    return {
      problem: `${source.title} asked for a secret in a form (“${cleanLine(secret, 80)}”), which kay does not show. The server must ask for it on a web page.`,
    };
  return {
    prompt: {
      type: "input",
      prompt: `${formatSource(source)}\n\n${formatMessage(request.message)}\n\nYour answers go to that server. ${NO_SECRETS}`,
      inputSchema: { type: "form", fields: fields.map(({ field }) => field) },
      completedView: { show_inputs: true },
    },
    read: (input) => readForm(fields, input),
  };
}

/** Reports every invalid field, each in a sentence. */
function readForm(fields: FormField[], input: Record<string, unknown>): Read {
  const content: Record<string, string | number | boolean | string[]> = {};
  const faults: string[] = [];
  for (const { field, read } of fields) {
    const result = read(Object.hasOwn(input, field.id) ? input[field.id] : undefined);
    if ("wrong" in result) faults.push(`“${field.label}” ${result.wrong}.`);
    else if (result.value !== undefined) content[field.id] = result.value as string;
  }
  if (faults.length > 0) return { wrong: faults.join(" ") };
  return { answer: { action: "accept", content } };
}

type UrlRequest = Extract<ElicitationRequest, { mode: "url" }>;

/** Creates the card for a URL. Only the user visits it; kay sends no request and no data. */
function buildUrlQuestion(
  { message, url: address }: UrlRequest,
  source: ElicitationSource,
): Question | { problem: string } {
  const url = parseSafeUrl(address);
  if (!url) return { problem: `${source.title} asked to open a URL that kay does not show because it is not https.` };
  const displayHost = url.hostname.includes("xn--")
    ? `${url.host} (contains non-Latin letters; check it carefully)`
    : url.host;
  return {
    prompt: {
      type: "input",
      prompt: `${formatSource(source)}\n\n${formatMessage(message)}\n\nOpen in the browser, on ${displayHost}:\n${url.href}\n\nkay sends no data there and does not see what you do. ${NO_SECRETS}`,
      link: url.href,
      inputSchema: { type: "form", fields: [] },
    },
    read: () => ({ answer: { action: "accept" } }),
  };
}

/** Accepts https, or http on this machine, without a user name or password. */
function parseSafeUrl(address: string): URL | undefined {
  if (address.length > MAX_URL_LENGTH || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  const fits = url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
  return fits && url.username === "" && url.password === "" ? url : undefined;
}

function formatMessage(message: string): string {
  return clean(message, { max: MAX_MESSAGE_LENGTH })
    .trim()
    .replace(/\n{3,}/g, "\n\n");
}

function formatSource({ title, where }: ElicitationSource): string {
  return `The MCP server ${cleanLine(title, 60)} (${cleanLine(where, 120)}) wrote this question, not kay.`;
}

/** Shown on every form, because a form can ask for a secret in any language. */
const NO_SECRETS = "kay never needs a password, key or code.";
