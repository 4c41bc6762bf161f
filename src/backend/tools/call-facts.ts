import type { BackendPorts } from "../ports.ts";
import { type CallFacts, queryCallFacts } from "../store/call-facts.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import { readTogether } from "../store/round-trips.ts";

/** Reads what decides about the calls of a step in one statement. It counts until a call runs: later ones read again what they need. */
export type CallFactsReader = {
  /** @param tools the names of the tools that are called */
  read(tools: string[]): Promise<CallFacts>;
  /** Returns what was read, if no call has run since. */
  current(): CallFacts | undefined;
  forget(): void;
  /** Whether no process has recorded this effect: only the node that runs a generation records its effects. */
  isNew(effectId: string): boolean;
};

/** @param first what was read already, for the first calls */
export function createCallFactsReader(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  row: Pick<StoredGeneration, "id" | "installation_id" | "conversation_id">,
  first: CallFacts | undefined,
): CallFactsReader {
  let next = first;
  let current: CallFacts | undefined;
  let recorded: Set<string> | undefined;
  return {
    async read(tools) {
      const facts = next ?? (await readTogether(db, queryCallFacts(db, row, tools, clock.now())));
      next = undefined;
      current = facts;
      recorded = new Set(facts.effects.map(({ id }) => id));
      return facts;
    },
    current: () => current,
    forget: () => {
      current = undefined;
    },
    isNew: (id) => recorded?.has(id) === false,
  };
}
