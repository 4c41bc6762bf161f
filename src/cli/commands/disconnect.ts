import { Command } from "commander";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { Kay } from "../kay.ts";
import { askYesNo } from "../prompt.ts";
import { unknownService } from "./connections.ts";

/** `kay disconnect <service...>`: take a connection back. Asks first, since connecting again needs the person's consent. */
export function disconnectCommand(kay: Kay): Command {
  return new Command("disconnect")
    .description("Disconnect services")
    .argument("<service...>", "services to disconnect")
    .action(async (services: string[]) => {
      const { api, credentials, origin, byToken } = await kay.link({ signedIn: true });
      const { session_id } = byToken ? {} : (await credentials.read(origin)).signIn;
      const { connections } = await api.connections({ signal: kay.signal });
      for (const service of services) {
        if (!Object.hasOwn(connections, service)) throw unknownService(service, Object.keys(connections));
      }
      const question = `Disconnect ${clean(services.join(", "), { lines: false })}?`;
      if (!(await askYesNo(kay, question, "Use --yes."))) throw new Problem("CANCELLED", "Nothing was disconnected.");
      const answers = [];
      for (const service of services) answers.push(await api.disconnect(service, { session_id, signal: kay.signal }));
      if (kay.flags.json) return kay.out.json(answers.length === 1 ? answers[0] : { disconnected: answers });
      for (const answer of answers) kay.out.line(`Disconnected ${clean(answer.service, { lines: false })}.`);
    });
}
