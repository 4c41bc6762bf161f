import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import { createGenerationId } from "../store/generations.ts";

/** A generation that this node holds already, so that it need not claim it. `isNew`: it was created here. */
export type HeldGeneration = { row: StoredGeneration; node: number; isNew: boolean };

export type Creations = {
  /**
   * Creates a generation that this node works on when it is asked to. `insert` writes the row, if it can.
   */
  create<T extends StoredGeneration | undefined>(
    insert: (place: { generationId: string; node: number }) => Promise<T>,
  ): Promise<T>;
  /** Claims a generation in a statement of the caller's. Returns what `claim` does: whether it was claimed. */
  claim(row: StoredGeneration, claim: (node: number) => Promise<boolean>): Promise<boolean>;
  /** Returns a generation that is held here and was not run yet, once. */
  take(id: string): HeldGeneration | undefined;
  /** Lists generations that did not run since the last call, such as those whose request failed after the insert. */
  listUnstarted(): string[];
};

/** @param unreleased claims to give back: where the answer to the statement was lost, the claim may be there */
export function createCreations({ node }: Pick<BackendPorts, "node">, unreleased: Map<string, number>): Creations {
  const heldGenerations = new Map<string, HeldGeneration>();
  let previousIds = new Set<string>();
  async function hold<T extends StoredGeneration | undefined>(
    id: string,
    isNew: boolean,
    write: (node: number) => Promise<T>,
  ): Promise<T> {
    const number = await node.number();
    try {
      const row = await write(number);
      if (row) heldGenerations.set(id, { row, node: number, isNew });
      return row;
    } catch (error) {
      unreleased.set(id, number);
      throw error;
    }
  }
  return {
    async create(insert) {
      const generationId = createGenerationId();
      return await hold(generationId, true, (number) => insert({ generationId, node: number }));
    },
    claim: async (row, claim) =>
      (await hold(row.id, false, async (number) => ((await claim(number)) ? row : undefined))) !== undefined,
    take(id) {
      const generation = heldGenerations.get(id);
      heldGenerations.delete(id);
      return generation;
    },
    listUnstarted() {
      const ids = [...heldGenerations.keys()].filter((id) => previousIds.has(id));
      previousIds = new Set(heldGenerations.keys());
      return ids;
    },
  };
}
