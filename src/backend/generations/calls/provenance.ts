import type { ModelMessage, TextPart } from "ai";
import { DENIAL_TEXT } from "#agent/limits";
import { findAttachment, listAttachments } from "#agent/steps/attachments";
import { type AnswerText, listAnswerTexts, readFormFields } from "#agent/tools/ask-user";
import { OWN_TOOL_NAMES } from "#agent/tools/own";
import type { Instruction, PreviewField } from "#protocol/ask";
import { formatAttachmentReference } from "#protocol/attachment-text";
import { fromWireName } from "#protocol/tool-names";
import { type ConversationTexts, createProvenance, type Provenance } from "../../approvals/provenance.ts";

/** Creates a reader of the provenance of a conversation's messages, which may grow between two questions. */
export function createProvenanceReader(
  messages: ModelMessage[],
  earlier: ModelMessage[] = [],
  instructions: Instruction[] = [],
): () => Provenance {
  let cached: { length: number; provenance: Provenance } | undefined;
  return () => {
    if (cached?.length !== messages.length)
      cached = { length: messages.length, provenance: traceMessages([...earlier, ...messages], instructions) };
    return cached.provenance;
  };
}

/**
 * Returns the provenance of these messages, under these standing instructions. Those of a project count as text of
 * others; the user's own count as neither, since they were not said about this request.
 */
export function traceMessages(messages: ModelMessage[], instructions: Instruction[] = []): Provenance {
  const projects = instructions.filter(({ origin }) => origin === "project");
  const texts: Texts = {
    own: [],
    whole: [],
    userTexts: instructions.filter(({ origin }) => origin !== "project").map(({ text }) => text),
    foreign: projects.map(({ source, text }) => ({ source, service: "", text })),
  };
  const inputs = new Map<string, unknown>();
  for (const message of messages) addMessage(texts, inputs, message);
  return createProvenance(texts);
}

/**
 * Names the origin of each field that a call would send: `person` if the user said the whole value, `service` if others
 * can have written it, and `model` if the model has read nothing of others.
 *
 * @param chosenFields fields whose values the user said in other words; see `listChosenFields`
 */
export function traceFields(
  input: Record<string, unknown>,
  provenance: Provenance,
  chosenFields?: ReadonlySet<string>,
): PreviewField[] {
  return Object.entries(input).map(([name, value]) => {
    if (chosenFields?.has(name) || provenance.isOwn(value)) return { name, value, origin: "person" };
    const resembles = provenance.findLookAlike(value);
    const source = provenance.findSource(value);
    return {
      name,
      value,
      origin: provenance.tainted ? "service" : "model",
      ...(source === undefined ? {} : { source }),
      ...(resembles === undefined ? {} : { resembles }),
    };
  });
}

type Texts = Required<ConversationTexts>;

function addMessage(
  { own, whole, userTexts, foreign }: Texts,
  inputs: Map<string, unknown>,
  message: ModelMessage,
): void {
  if (message.role === "user") {
    const program = getProgram(message);
    const parts = typeof message.content === "string" ? [message.content] : message.content.flatMap(getText);
    // The user chose the files, but others can have written what is in them.
    for (const file of listAttachments(message)) {
      whole.push(formatAttachmentReference(file));
      foreign.push({ source: file.name, service: "", text: "" });
    }
    if (program !== undefined) {
      foreign.push({ source: program, service: "", text: parts.join("\n") });
      return;
    }
    for (const texts of [own, userTexts]) texts.push(...parts.slice(0, 1));
    // Data that a caller sends with a prompt can have been written by others.
    for (const text of parts.slice(1)) foreign.push({ source: "the data you sent along", service: "", text });
  }
  if (typeof message.content === "string") return;
  for (const part of message.content) {
    if (part.type === "tool-call") inputs.set(part.toolCallId, part.input);
    if (part.type !== "tool-result") continue;
    const { output, toolName } = part;
    const value = "value" in output ? output.value : undefined;
    if (output.type === "execution-denied" && output.reason?.startsWith(`${DENIAL_TEXT}: `))
      for (const texts of [own, userTexts]) texts.push(output.reason);
    const answers = toolName === "ask_user" ? listAnswers(inputs.get(part.toolCallId), value) : [];
    for (const { text, proposed } of answers) for (const texts of [proposed ? whole : own, userTexts]) texts.push(text);
    whole.push(...listEdits(value));
    if (output.type === "execution-denied" || OWN_TOOL_NAMES.has(toolName)) continue;
    foreign.push({
      source: toSource(toolName, inputs.get(part.toolCallId)),
      service: toServiceName(toolName, inputs.get(part.toolCallId)),
      text: listTexts(value).join("\n"),
    });
  }
}

/** Lists the user's answers in a form of the model. */
function listAnswers(input: unknown, result: unknown): AnswerText[] {
  const { data } = Object(result) as { data?: unknown };
  const { answers } = Object(data) as { answers?: unknown };
  return listAnswerTexts(readFormFields(input), Object(answers) as Record<string, unknown>);
}

/** Lists the values of a call that the user changed. */
function listEdits(result: unknown): string[] {
  const { arguments_changed_by_the_person: edited } = Object(result) as Record<string, unknown>;
  return listTexts(edited);
}

/** Returns the subject of a result in a word: the first ID, channel or person of the call's input, or the tool. */
function toSource(toolName: string, input: unknown): string {
  const subject = listTexts(input).find(
    (text) => text.length <= 40 && SUBJECT.test(text) && !NUMBER_OR_DATE.test(text),
  );
  return subject ?? fromWireName(toolName);
}

const SUBJECT = /^(?:[#@]\S+|[^\s\d]*\d\S*)$/;

/** "20" and "2026-01-31" limit a result, "-30d" too; none of them is its subject. */
const NUMBER_OR_DATE = /^-?\d+[a-z]?$|^\d{4}-\d\d-\d\d/i;

function toServiceName(toolName: string, input: unknown): string {
  const [service, tool] = fromWireName(toolName).split(".");
  if (service !== undefined && tool !== undefined) return service;
  const serviceName = typeof input === "object" && input !== null && "service" in input ? input.service : undefined;
  return typeof serviceName === "string" ? serviceName : toolName;
}

/** Returns the program that made the call in this message, if a program did. */
function getProgram({ content }: ModelMessage): string | undefined {
  const first = typeof content === "string" ? undefined : content[0];
  const program = first && "providerOptions" in first ? first.providerOptions?.kay?.program : undefined;
  return typeof program === "string" ? program : undefined;
}

function getText(part: { type: string }): string[] {
  return part.type === "text" && !findAttachment(part) ? [(part as TextPart).text] : [];
}

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}
