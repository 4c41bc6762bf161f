import type { ModelMessage } from "ai";
import type { StreamPart } from "#protocol/events";
import type { TestDatabase } from "../database.ts";
import type { Came, Seen } from "./client.ts";

/**
 * Lists everything wrong with an ended request, in the terminal's view and in the rows. Empty if nothing is.
 *
 * @param text the model's text, without interruptions; undefined if it varies
 */
export async function listFaults({ db }: TestDatabase, run: Seen, text?: string): Promise<string[]> {
  const { session, generation, parts } = run;
  const rows = await db
    .selectFrom("events")
    .selectAll()
    .where("conversation_id", "=", session)
    .orderBy("number")
    .execute();
  const log = rows.map(({ number, part }) => ({ number, ...part })) as unknown as Came[];
  const row = await db.selectFrom("generations").selectAll().where("id", "=", generation).executeTakeFirst();
  const effects = await db.selectFrom("effects").selectAll().where("generation_id", "=", generation).execute();
  const interactions = await db
    .selectFrom("interactions")
    .selectAll()
    .where("generation_id", "=", generation)
    .execute();
  const messages = await db
    .selectFrom("messages")
    .select("message")
    .where("conversation_id", "=", session)
    .orderBy("sequence")
    .execute();
  return [
    ...numberFaults(log, "the log"),
    ...numberFaults(parts, "the terminal"),
    ...(JSON.stringify(log.map(bare)) === JSON.stringify(parts.map(bare)) ? [] : ["the terminal saw something else"]),
    ...partFaults(log),
    ...(text === undefined || joinText(log) === text ? [] : [`the text is ${JSON.stringify(joinText(log))}`]),
    ...(row?.finished_at && row.node === null ? [] : [`the generation is ${row?.status}, at node ${row?.node}`]),
    ...effects
      .filter(({ state }) => state === "planned" || state === "sent")
      .map(({ state }) => `an effect is ${state}`),
    ...interactions.filter(({ status }) => status === "open").map(({ id }) => `${id} is open`),
    ...messageFaults(messages.map(({ message }) => message as unknown as ModelMessage)),
  ];
}

/** All texts in order. */
function joinText(parts: StreamPart[]): string {
  return parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join("");
}

function bare({ number, type }: Came): string {
  return `${number} ${type}`;
}

function numberFaults(parts: Came[], where: string): string[] {
  return parts.every(({ number }, index) => number === index + 1)
    ? []
    : [`the numbers of ${where} are ${parts.map(({ number }) => number).join(" ")}`];
}

/** Texts and calls without a beginning or an end, and parts after the end. */
function partFaults(parts: StreamPart[]): string[] {
  const faults: string[] = [];
  const texts = new Set<string>();
  const calls = new Map<string, "open" | "available" | "over">();
  let steps = 0;
  const checkKnown = (id: string, subject: string, ok: boolean) =>
    ok || faults.push(`${subject} of ${id} is out of place`);
  for (const part of parts) {
    switch (part.type) {
      case "start-step":
        steps++;
        break;
      case "finish-step":
        steps--;
        for (const id of texts) faults.push(`the text ${id} is open at the end of its step`);
        break;
      case "text-start":
        checkKnown(part.id, part.type, !texts.has(part.id));
        texts.add(part.id);
        break;
      case "text-delta":
        checkKnown(part.id, part.type, texts.has(part.id));
        break;
      case "text-end":
        checkKnown(part.id, part.type, texts.delete(part.id));
        break;
      case "tool-input-start":
        checkKnown(part.toolCallId, part.type, !calls.has(part.toolCallId));
        calls.set(part.toolCallId, "open");
        break;
      case "tool-input-delta":
        checkKnown(part.toolCallId, part.type, calls.get(part.toolCallId) === "open");
        break;
      case "tool-input-available":
        checkKnown(part.toolCallId, part.type, calls.get(part.toolCallId) !== "over");
        calls.set(part.toolCallId, "available");
        break;
      case "tool-input-error":
      case "tool-output-available":
      case "tool-output-error":
      case "tool-output-denied":
        checkKnown(part.toolCallId, part.type, calls.get(part.toolCallId) !== "over");
        calls.set(part.toolCallId, "over");
    }
  }
  for (const [id, state] of calls) if (state !== "over") faults.push(`the call ${id} is ${state} at the end`);
  for (const id of texts) faults.push(`the text ${id} is open at the end`);
  const cut = parts.some(({ type }) => type === "abort" || type === "error");
  if (steps !== 0 && !(cut && steps === 1)) faults.push(`${steps} steps are open`);
  const ends = parts.filter(({ type }) => type === "finish" || type === "abort" || type === "error");
  if (ends.length !== 1 || ends[0] !== parts.at(-1)) faults.push("it does not end once, and last");
  return faults;
}

/** Every call has exactly one result, in the message after it, and the person and the model take turns. */
function messageFaults(messages: ModelMessage[]): string[] {
  const faults: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const next = messages[index + 1];
    const ids = (list: unknown, type: string) =>
      Array.isArray(list) ? list.filter((part) => part.type === type).map((part) => String(part.toolCallId)) : [];
    const calls = role === "assistant" ? ids(content, "tool-call") : [];
    const results = next?.role === "tool" ? ids(next.content, "tool-result") : [];
    if (calls.join() !== results.join()) faults.push(`calls ${calls} have results ${results}`);
    if (role === next?.role) faults.push(`two messages of ${role} follow each other`);
  }
  if (messages.at(-1)?.role !== "assistant") faults.push("the last message is not the model's");
  return faults;
}
