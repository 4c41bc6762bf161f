import type { BackendPorts } from "../ports.ts";
import type { StoredGeneration } from "../store/generation-state.ts";
import { createGenerationId } from "../store/generations.ts";

/** A generation that this node created for itself, so that it need not claim it. */
export type CreatedGeneration = { row: StoredGeneration; node: number };

export type Creations = {
  /**
   * Creates a generation that this node works on when it is asked to. `insert` writes the row.
   * @returns its ID
   */
  create(insert: (place: { generationId: string; node: number }) => Promise<StoredGeneration>): Promise<string>;
  /** Returns a generation that was created here and not run yet, once. */
  take(id: string): CreatedGeneration | undefined;
  /** Lists those that did not run since the last call, for example because their request failed after the row was written. */
  listLeft(): string[];
};

/** @param unreleased claims to give back: where the answer to the insert was lost, the row may be there */
export function createCreations({ node }: Pick<BackendPorts, "node">, unreleased: Map<string, number>): Creations {
  const created = new Map<string, CreatedGeneration>();
  let seen = new Set<string>();
  return {
    async create(insert) {
      const place = { generationId: createGenerationId(), node: await node.number() };
      try {
        created.set(place.generationId, { row: await insert(place), node: place.node });
      } catch (error) {
        unreleased.set(place.generationId, place.node);
        throw error;
      }
      return place.generationId;
    },
    take(id) {
      const one = created.get(id);
      created.delete(id);
      return one;
    },
    listLeft() {
      const left = [...created.keys()].filter((id) => seen.has(id));
      seen = new Set(created.keys());
      return left;
    },
  };
}
