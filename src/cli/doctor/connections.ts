import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import { type Check, ok, warn } from "../commands/doctor/check.ts";

/** How many services are connected, and which connections were lost. */
export const connectionsCheck: Check = {
  id: "connections",
  title: "Connections",
  async look(facts) {
    const { api } = await facts.signedIn();
    const found = Object.entries((await api.connections({ signal: facts.signal })).connections);
    const lost = found.filter(([, { connected, reason }]) => !connected && reason);
    const connected = found.filter(([, connection]) => connection.connected).map(([name]) => toLine(name));
    if (lost.length > 0) {
      const why = lost.map(([name, { reason }]) => `${toLine(name)}: ${toLine(reason ?? "")}`).join("; ");
      return warn(
        `Lost: ${why}`,
        `Run \`kay connect ${lost.map(([name]) => quoteShellWord(toLine(name))).join(" ")}\`.`,
      );
    }
    if (connected.length === 0) return warn("No service is connected.", "Run `kay connect <service>`.");
    return ok(`${connected.length} of ${found.length} services are connected: ${connected.join(", ")}.`);
  },
};
