import { expect } from "vitest";
import type { Orders } from "./backend-process.ts";
import { askThrough } from "./client.ts";
import type { ModelAsk, ModelStep } from "./outside.ts";
import type { Place } from "./place.ts";
import type { BackendProcess } from "./processes.ts";
import { listFaults } from "./whole.ts";

export const FIRST = ["Let me ", "look — ", "żółć ", "👩‍👩‍👧 ", "at it."];
export const LAST = ["KAY-3 ", "is closed ", "now: ", "日本語."];

/** One step with text, a read and a write that needs an approval; then the answer. */
export function createCloseStep({ results }: ModelAsk): ModelStep {
  if (results > 0) return { text: LAST };
  const input = { issue: "KAY-3" };
  return {
    text: FIRST,
    calls: [
      ["show", "jira.show_issue", input],
      ["close", "jira.close_issue", input],
    ],
  };
}

/** The result of one request whose backends were killed. */
export type Killed = { kills: number; faults: string[]; receipt: string | undefined; arrived: number };

/** Requests one after another; the process that survived one is killed in the next. */
export function createRequester(place: () => Place) {
  let running: BackendProcess | undefined;
  let count = 0;
  return {
    /**
     * One request, each of whose backends is killed at the next of these moments.
     *
     * @param text what is said, where it is the same each time
     */
    async request(kills: NonNullable<Orders["kill"]>[], text?: string): Promise<Killed> {
      const { service, database, token, start } = place();
      const arrivedBefore = service.arrived.length;
      const remaining = [...kills];
      if (running?.alive()) await running.rearm(remaining.shift());
      else running = await start(remaining.shift());
      let next: Promise<BackendProcess> | undefined;
      let died = 0;
      const backend = async () => {
        while (!running?.alive()) {
          next ??= start(remaining.shift()).then((started) => {
            died++;
            next = undefined;
            running = started;
            return started;
          });
          await next;
        }
        return running;
      };
      const outcome = await askThrough({ token, backend }, `go ${++count}`);
      await running?.rearm();
      const receipts = outcome.parts.flatMap((part) => (part.type === "data-receipt" ? [part.data.effect] : []));
      return {
        kills: died + (running?.alive() ? 0 : 1),
        faults: await listFaults(database, outcome, text),
        receipt: receipts.at(-1),
        arrived: service.arrived.length - arrivedBefore,
      };
    },
    /** Number of moments in one undisturbed request. */
    async moments(): Promise<string[]> {
      running ??= await place().start();
      const { token } = place();
      await running.rearm();
      const current = running;
      await askThrough({ token, backend: async () => current }, `go ${++count}`);
      return await running.rearm();
    },
  };
}

/** One effect arrived; or it may have, is said to be unknown, and was not sent again. */
export function expectOneEffect({ receipt, arrived }: Pick<Killed, "receipt" | "arrived">): void {
  expect({ receipt, arrived }).toEqual(
    receipt === "unknown" ? { receipt, arrived: Math.min(arrived, 1) } : { receipt: "settled", arrived: 1 },
  );
}
