import { shellWord } from "#protocol/shell";
import { line } from "#ui/words";
import { type Check, fine, warning } from "./check.ts";

/** How many services are connected, and which connections were lost. */
export const connections: Check = {
  id: "connections",
  title: "Connections",
  async look(facts) {
    const { api } = await facts.signedIn();
    const found = Object.entries((await api.connections({ signal: facts.signal })).connections);
    const lost = found.filter(([, { connected, reason }]) => !connected && reason);
    const connected = found.filter(([, connection]) => connection.connected).map(([name]) => line(name));
    if (lost.length > 0) {
      const why = lost.map(([name, { reason }]) => `${line(name)}: ${line(reason ?? "")}`).join("; ");
      return warning(`Lost: ${why}`, `Run \`kay connect ${lost.map(([name]) => shellWord(line(name))).join(" ")}\`.`);
    }
    if (connected.length === 0) return warning("No service is connected.", "Run `kay connect <service>`.");
    return fine(`${connected.length} of ${found.length} services are connected: ${connected.join(", ")}.`);
  },
};
