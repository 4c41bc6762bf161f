import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generation-state.ts";
import { createGenerationId } from "../store/generations.ts";

/** A generation that this node holds already, so that it need not claim it. `isNew`: it was created here. */
export type HeldGeneration = { row: StoredGeneration; node: number; isNew: boolean };

export type Creations = {
  /**
   * Creates a generation that this node works on when it is asked to. `insert` writes the row.
   * @returns its ID
   */
  create(insert: (place: { generationId: string; node: number }) => Promise<StoredGeneration>): Promise<string>;
  /** Claims a generation in a statement of the caller's. Returns what `claim` does: whether it was claimed. */
  claim(row: StoredGeneration, claim: (node: number) => Promise<boolean>): Promise<boolean>;
  /** Returns a generation that is held here and was not run yet, once. */
  take(id: string): HeldGeneration | undefined;
  /** Lists those that did not run since the last call, for example because their request failed after the row was written. */
  listLeft(): string[];
};

/** @param unreleased claims to give back: where the answer to the statement was lost, the claim may be there */
export function createCreations({ node }: Pick<BackendPorts, "node">, unreleased: Map<string, number>): Creations {
  const all = new Map<string, HeldGeneration>();
  let seen = new Set<string>();
  async function hold(
    id: string,
    isNew: boolean,
    write: (node: number) => Promise<StoredGeneration | undefined>,
  ): Promise<boolean> {
    const number = await node.number();
    try {
      const row = await write(number);
      if (row) all.set(id, { row, node: number, isNew });
      return row !== undefined;
    } catch (error) {
      unreleased.set(id, number);
      throw error;
    }
  }
  return {
    async create(insert) {
      const generationId = createGenerationId();
      await hold(generationId, true, (number) => insert({ generationId, node: number }));
      return generationId;
    },
    claim: (row, claim) => hold(row.id, false, async (number) => ((await claim(number)) ? row : undefined)),
    take(id) {
      const one = all.get(id);
      all.delete(id);
      return one;
    },
    listLeft() {
      const left = [...all.keys()].filter((id) => seen.has(id));
      seen = new Set(all.keys());
      return left;
    },
  };
}
