import type { Candidate } from "#ui/editor/complete";
import type { SessionEvent } from "#ui/session/events";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";

/** How long typing rests before the services are read, how long a read may take, and how long its result counts, in ms. */
const REST_MS = 200;
const LIMIT_MS = 10_000;
const FRESH_MS = 5 * 60_000;

/** Most candidates of one list. */
const MOST_PLACES = 100;

/** A list of a service whose entries can be mentioned: the tool that reads it, and the name and the note of an entry. */
type PlaceList = {
  tool: string;
  input: Record<string, unknown>;
  list: string;
  name: string;
  note: string;
};

const LISTS: Record<string, PlaceList[]> = {
  jira: [
    {
      tool: "search",
      input: { updatedSince: "-30d", limit: MOST_PLACES },
      list: "issues",
      name: "key",
      note: "summary",
    },
  ],
  slack: [
    { tool: "list_channels", input: { limit: MOST_PLACES }, list: "channels", name: "channel", note: "about" },
    { tool: "list_users", input: { limit: MOST_PLACES }, list: "people", name: "handle", note: "name" },
  ],
};

/**
 * Creates what reads issues, channels and people of the connected services for completion. `want` is called with each
 * key of a mention; it returns at once, and the services are read only if the last result is old.
 */
export function createPlaceLoader(
  kay: Pick<Kay, "clock" | "signal">,
  { api }: Pick<BackendHandle, "api">,
  { dispatch, connected }: { dispatch(event: SessionEvent): void; connected(): string[] },
): { want(): void } {
  const { clock, signal } = kay;
  const found = new Map<PlaceList, Candidate[]>();
  let freshUntil = 0;
  const read = async (service: string, place: PlaceList) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const { output } = await api.callTool(`${service}.${place.tool}`, place.input, { signal: limit });
    found.set(place, toCandidates(output.data, place));
    dispatch({ type: "sources", sources: { places: interleave([...found.values()]) } });
  };
  const load = async () => {
    await clock.sleep(REST_MS, signal);
    const services = connected();
    const reads = services.flatMap((service) => (LISTS[getBase(service)] ?? []).map((place) => read(service, place)));
    await Promise.allSettled(reads);
  };
  return {
    want() {
      if (clock.now() < freshUntil || connected().length === 0) return;
      freshUntil = clock.now() + FRESH_MS;
      // What cannot be read is not offered; it can still be typed.
      void load().catch(() => {});
    },
  };
}

function getBase(service: string): string {
  return service.split("@")[0] ?? service;
}

/** Reads the entries of a tool's result as mentions. Names with spaces cannot be mentioned. */
function toCandidates(data: unknown, { list, name, note }: PlaceList): Candidate[] {
  const entries = typeof data === "object" && data !== null ? (data as Record<string, unknown>)[list] : undefined;
  return (Array.isArray(entries) ? entries : []).slice(0, MOST_PLACES).flatMap((entry: Record<string, unknown>) => {
    const text = String(entry?.[name] ?? "");
    return /^\S{2,80}$/.test(text)
      ? [{ text: text.startsWith("@") ? text : `@${text}`, note: String(entry[note] ?? "") }]
      : [];
  });
}

/** Takes one entry of each list in turn, so that the first candidates are of every kind. */
function interleave(lists: Candidate[][]): Candidate[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
