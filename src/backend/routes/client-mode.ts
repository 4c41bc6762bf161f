import type { AskRequest } from "#protocol/ask";
import { cleanLine } from "#protocol/clean";
import type { ClientMode } from "#protocol/conversations";
import { Problem } from "#protocol/errors";

/** A client as it says who it is, and, where it does, whether it can answer. */
export type RequestedClient = NonNullable<AskRequest["client"]>;

/** Most characters of a name. */
const LONGEST_NAME = 60;

/** A client as it follows: `?client=ID&name=NAME&interaction=enabled|disabled|unsupported`. @throws Problem INVALID_REQUEST */
export function parseClientQuery(query: Record<string, string>): RequestedClient | undefined {
  const { client: id, name, interaction } = query;
  if (!id) return undefined;
  if (interaction !== undefined && !Object.hasOwn(MODES, interaction))
    throw new Problem("INVALID_REQUEST", `interaction is ${Object.keys(MODES).join(", ")}.`, {
      details: { field: "interaction" },
    });
  const mode = interaction === undefined ? undefined : MODES[interaction];
  return parseClient({ id, ...(name ? { name } : {}), ...(mode ? { interaction: mode } : {}) });
}

/** It chooses its own id and name; both are shown to others. @throws Problem INVALID_REQUEST */
export function parseClient({ id, name, interaction }: RequestedClient): RequestedClient {
  const shown = cleanLine(name ?? "", LONGEST_NAME);
  return { id: parseClientId(id), ...(shown === "" ? {} : { name: shown }), ...(interaction ? { interaction } : {}) };
}

/** What it can, where one that says nothing can answer. */
export function toClientMode({ name, interaction = { supported: true, enabled: true } }: RequestedClient): ClientMode {
  return { ...(name === undefined ? {} : { name }), interaction };
}

/** A client's id travels in paths and is shown. @throws Problem INVALID_REQUEST */
export function parseClientId(id: string): string {
  if (/^[\w.:-]{1,100}$/.test(id)) return id;
  throw new Problem("INVALID_REQUEST", "A client's id has 1 to 100 letters, digits, or . _ : -", {
    details: { field: "client_id" },
  });
}

const MODES: Record<string, ClientMode["interaction"]> = {
  enabled: { supported: true, enabled: true },
  disabled: { supported: true, enabled: false },
  unsupported: { supported: false, enabled: false },
};
