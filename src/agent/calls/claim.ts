import type { ModelMessage } from "ai";
import { fromWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";
import { toCall } from "./checked-call.ts";
import { hasWritten, type PastCall } from "./repetition.ts";

/** Note after an answer that reports a change although no call made one. */
export const NOTHING_CHANGED = "Nothing was changed.";

/**
 * Whether an answer reports a change that no call of its request made: "Done! I closed KAY-1." Tools that were called to
 * read, or that wrote in an earlier request, can be what the answer is about, so fewer words count as a report then.
 */
export function isFalseClaim(
  text: string,
  { messages, past, tools }: { messages: ModelMessage[]; past: PastCall[]; tools: AgentTool[] },
): boolean {
  if (past.some(hasWritten)) return false;
  const currentIds = new Set(past.map(({ call }) => toCall(call).toolCallId));
  const writes = new Set(tools.flatMap(({ name, access }) => (access === "read" ? [] : [name])));
  const earlierCalls = messages.flatMap(listCalls).filter(({ toolCallId }) => !currentIds.has(toolCallId));
  const hasWrittenBefore = earlierCalls.some(({ toolName }) => writes.has(fromWireName(toolName)));
  return claimsChange(text, { hasRead: past.some(({ outcome }) => outcome && "output" in outcome), hasWrittenBefore });
}

function listCalls({ role, content }: ModelMessage): { toolCallId: string; toolName: string }[] {
  if (role !== "assistant" || typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "tool-call" ? [part] : []));
}

function claimsChange(
  text: string,
  { hasRead, hasWrittenBefore }: { hasRead: boolean; hasWrittenBefore: boolean },
): boolean {
  const words = text.replace(/[*_`#>]/g, "").trim();
  if (/\bnothing (?:was|has been) (?:changed|sent|done)\b/i.test(words)) return false;
  if (!hasRead && DONE.test(words)) return true;
  if (hasWrittenBefore) return false;
  return FIRST_PERSON.test(words) || (!hasRead && PASSIVE.test(words));
}

const VERBS =
  "added|archived|assigned|booked|cancell?ed|changed|cleared|closed|commented|completed|copied|created|deleted|drafted|edited|emailed|forwarded|invited|marked|merged|messaged|moved|notified|opened|posted|published|pushed|put|removed|renamed|reopened|replied|rescheduled|resolved|scheduled|sent|set|shared|submitted|transferred|unassigned|updated|uploaded|written";

/** Short words for "done" in common languages, as the first word of the answer. */
const DONE =
  /^(?:(?:all\s+|it'?s\s+|that'?s\s+|okay,?\s+|ok,?\s+)?done\b|erledigt|fertig\b|geschafft|fait\b|c['’]est fait|terminé|hecho|listo\b|feito|pronto\b|fatto\b|gedaan|klaar\b|gotowe|zrobione|klart?\b|готово|сделано|完了|完成|已完成|搞定|완료)/iu;

const FIRST_PERSON = new RegExp(
  `(?<!\\b(?:if|once|after|when|before|until|unless|that|what|which) )\\b(?:I|we)(?:['’]ve| have)?(?: (?:just|now|also|already|successfully|gone ahead and))* (?:${VERBS})\\b` +
    "|\\bich habe\\b[^.!?\\n]{0,200}\\b(?:ge(?:schlossen|sendet|schickt|schrieben|postet|löscht|ändert|setzt)|abgeschlossen|angelegt|eingetragen|verschoben|\\p{L}*erstellt|verschickt|versendet|hinzugefügt|aktualisiert|kommentiert|zugewiesen)\\b" +
    "|\\bj['’]ai (?:bien )?(?!trouv|cherch|vérifi|regard|consult)(?:\\p{L}+é|mis|écrit)e?s?(?!\\p{L})" +
    "|\\bhe (?!encontrado|buscado|revisado|consultado|mirado)(?:\\p{L}+[ai]do|hecho|puesto|escrito)\\b" +
    "|\\bho (?!trovato|cercato|controllato|letto|visto)\\p{L}+to\\b",
  "iu",
);

const PASSIVE = new RegExp(
  `\\b(?:has|have) been (?:successfully )?(?:${VERBS})\\b|\\b(?:was|were|is|are) (?:now |successfully )+(?:${VERBS})\\b|\\bsuccessfully (?:${VERBS})\\b|^(?:${VERBS}) (?:the|your|it|an?|to|[A-Z]+-\\d)\\b`,
  "iu",
);
