import { type Check, fail, ok, skip, warn } from "../commands/doctor/check.ts";

/** Differences in ms from which trouble is to be expected: with what expires soon, and with every token. */
const NOTICED_MS = 60_000;
const HARMFUL_MS = 5 * 60_000;

const FIX =
  "Set this machine's clock by the network: `timedatectl set-ntp true` on Linux, Date & Time in the settings elsewhere.";

/** This machine's clock against the backend's. */
export const clockCheck: Check = {
  id: "clock",
  title: "Clock",
  async look(facts) {
    const { api, embedded } = await facts.reached();
    if (embedded) return ok("It is the backend's own: both are on this machine.");
    const offset = api.clockOffsetMs();
    if (offset === undefined) return skip("The backend does not say what time it is.");
    const apart = Math.abs(offset);
    const says = `It is ${amount(apart)} ${offset < 0 ? "ahead of" : "behind"} the backend's.`;
    if (apart > HARMFUL_MS) return fail(`${says} Tokens and links seem expired, or not valid yet.`, FIX);
    if (apart > NOTICED_MS) return warn(says, FIX);
    // The backend tells whole seconds, and the answer took its time.
    return ok(apart < 3_000 ? "It agrees with the backend's." : says);
  },
};

function amount(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 48 * 3_600_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}
