import type { BackendPorts } from "../ports.ts";
import { listValidScriptTokens } from "../store/script-tokens.ts";
import { listLiveFamilies } from "../store/token-families.ts";
import type { Caller } from "./authenticate.ts";

/** How often the access of open streams is checked, in ms. */
const INTERVAL_MS = 10_000;

/** Ends streams whose sign-in or script token has ended, on any node. */
export type AccessWatch = {
  /** Calls `end` once the access of a caller has ended. Returns a function that stops watching. */
  watch(caller: Caller, end: () => void): () => void;
  /** Checks all watched callers with one query each for sign-ins and script tokens, if the interval is over. */
  tick(): Promise<void>;
};

export function createAccessWatch({ db, clock }: Pick<BackendPorts, "db" | "clock">): AccessWatch {
  const families = new Map<string, Set<() => void>>();
  const scriptTokens = new Map<string, Set<() => void>>();
  let checkedAt = clock.now();
  return {
    watch(caller, end) {
      const [ends, id] = "familyId" in caller ? [families, caller.familyId] : [scriptTokens, caller.scriptToken.id];
      const group = ends.get(id) ?? new Set();
      ends.set(id, group.add(end));
      return () => {
        group.delete(end);
        if (group.size === 0 && ends.get(id) === group) ends.delete(id);
      };
    },
    async tick() {
      const now = clock.now();
      // A clock that was set back must not stop the checks.
      if (now >= checkedAt && now - checkedAt < INTERVAL_MS) return;
      checkedAt = now;
      const [watchedFamilies, watchedTokens] = [[...families.keys()], [...scriptTokens.keys()]];
      const [liveFamilies, validTokens] = await Promise.all([
        listLiveFamilies(db, watchedFamilies, new Date(now)),
        listValidScriptTokens(db, watchedTokens, new Date(now)),
      ]);
      endOthers(families, watchedFamilies, liveFamilies);
      endOthers(scriptTokens, watchedTokens, validTokens);
    },
  };
}

/** Ends the streams of those watched IDs that are no longer valid. */
function endOthers(ends: Map<string, Set<() => void>>, watchedIds: string[], validIds: string[]): void {
  const valid = new Set(validIds);
  for (const id of watchedIds.filter((id) => !valid.has(id))) for (const end of [...(ends.get(id) ?? [])]) end();
}
