import type { ProbeStepName } from "#net/probe/step";
import { Problem } from "#protocol/errors";
import { type Check, fail, ok } from "./check.ts";
import type { CheckContext } from "./context.ts";
import { BlockedCheck } from "./context.ts";

const TITLES: Record<ProbeStepName, string> = {
  proxy: "Proxy",
  name: "Name",
  connect: "Connection",
  tunnel: "Tunnel",
  tls: "TLS",
};

/** Checks the route to a configured backend, step by step. */
const legs: Check[] = Object.entries(TITLES).map(([leg, title]) => ({
  id: `network.${leg}`,
  title,
  async look(facts) {
    if (!(await isRemote(facts))) return null;
    const match = (await facts.legs()).find((step) => step.name === leg);
    return match ? { state: match.state, detail: match.message, ...(match.fix ? { fix: match.fix } : {}) } : null;
  },
}));

/** Sends a first request, in the same way as every command. */
const http: Check = {
  id: "network.http",
  title: "HTTP",
  async look(facts) {
    if (!(await isRemote(facts))) return null;
    if ((await facts.legs()).some(({ state }) => state === "failed")) throw new BlockedCheck("Not reached.");
    const { ms } = await facts.answer();
    return ok(`It answered in ${ms} ms.`);
  },
};

/** The local backend is on this machine, so only the connection can fail. */
const loopback: Check = {
  id: "network.loopback",
  title: "Loopback",
  async look(facts) {
    if (await isRemote(facts)) return null;
    const { baseUrl } = await facts.link().catch((error: unknown) => {
      throw error instanceof Problem ? new BlockedCheck("The local backend is not running.") : error;
    });
    const failedStep = (await facts.legs()).find(({ state }) => state === "failed");
    if (failedStep)
      return fail(
        failedStep.message,
        failedStep.fix || "Allow connections from this machine to itself in its firewall.",
      );
    return ok(`${baseUrl} can be reached; no proxy is used on this machine.`);
  },
};

/** Checks of the route between this machine and its backend. */
export const networkChecks: Check[] = [...legs, http, loopback];

async function isRemote(facts: CheckContext): Promise<boolean> {
  try {
    return !(await facts.account()).embedded;
  } catch (error) {
    // A separate check covers the settings; the backend's check reports a refused address.
    if (error instanceof Problem) throw new BlockedCheck("The backend's address is not known.");
    throw error;
  }
}
