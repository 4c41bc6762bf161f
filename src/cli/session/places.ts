import type { MentionList } from "#protocol/tools";
import type { Candidate } from "#ui/editor/complete";
import type { SessionEvent } from "#ui/session/events";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";
import { formatMention, listMentionableFiles } from "./mentions.ts";

/** Pause in typing before services are read, time limit of a read, and lifetime of its result, in ms. */
const REST_MS = 200;
const LIMIT_MS = 10_000;
const FRESH_MS = 5 * 60_000;

/** Maximum number of candidates per list. */
const MOST_PLACES = 100;

/**
 * Creates a loader of issues, channels and people for completion. `want` is called with each key of a mention and
 * returns at once; services are read only if the last result is old.
 */
export function createPlaceLoader(
  kay: Pick<Kay, "clock" | "signal">,
  { api }: Pick<BackendHandle, "api">,
  { dispatch, connected }: { dispatch(event: SessionEvent): void; connected(): string[] },
): { want(): void } {
  const { clock, signal } = kay;
  const candidates = new Map<string, Candidate[]>();
  let freshUntil = 0;
  const read = async (tool: string, list: MentionList, position: number) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const { output } = await api.callTool(tool, list.input, { signal: limit });
    candidates.set(`${tool} ${position}`, toCandidates(output.data, list));
    dispatch({ type: "sources", sources: { places: interleave([...candidates.values()]) } });
  };
  const load = async () => {
    await clock.sleep(REST_MS, signal);
    const tools = (await api.tools({ signal }))?.tools ?? [];
    const listing = tools.filter(({ access, connected }) => access === "read" && connected !== false);
    const reads = listing.flatMap(({ name, mentions = [] }) =>
      mentions.map((list, position) => read(name, list, position)),
    );
    await Promise.allSettled(reads);
  };
  return {
    want() {
      if (clock.now() < freshUntil || connected().length === 0) return;
      freshUntil = clock.now() + FRESH_MS;
      // Entries that cannot be read are not offered but can still be typed.
      void load().catch(() => {});
    },
  };
}

/** How long a list of files is shown before it is read again, in ms. */
const FILES_MS = 5_000;

/** Creates a loader of the current folder's files for completion. `want` is called with each key of a mention. */
export function createFileLoader(
  { clock, cwd }: Pick<Kay, "clock" | "cwd">,
  onFound: (files: Candidate[]) => void,
): { want(): void } {
  let freshUntil = 0;
  return {
    want() {
      if (clock.now() < freshUntil) return;
      freshUntil = clock.now() + FILES_MS;
      void listMentionableFiles(cwd).then(onFound);
    },
  };
}

/** Reads the entries of a tool's result as mentions. */
function toCandidates(data: unknown, { list, name, note }: MentionList): Candidate[] {
  const entries = typeof data === "object" && data !== null ? (data as Record<string, unknown>)[list] : undefined;
  return (Array.isArray(entries) ? entries : []).slice(0, MOST_PLACES).flatMap((entry: Record<string, unknown>) => {
    const text = fill(name, entry).replace(/^@/, "");
    const isShort = text.length >= 2 && text.length <= 80 && !/["\p{Cc}]/u.test(text);
    return isShort ? [{ text: formatMention(text), note: fill(note, entry) }] : [];
  });
}

/** Fills the fields of an entry into a text. Without one of them, the text is empty. */
function fill(text: string, entry: Record<string, unknown>): string {
  const fields = [...text.matchAll(/\{(\w+)\}/g)].map(([, field = ""]) => entry?.[field] ?? "");
  return fields.includes("") ? "" : text.replace(/\{(\w+)\}/g, () => String(fields.shift()));
}

/** Takes one entry of each list in turn, so that the first candidates include every kind. */
function interleave(lists: Candidate[][]): Candidate[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
