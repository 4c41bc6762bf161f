import { join } from "node:path";
import { line } from "#ui/words";
import { Blocked, type Check, failed, fine } from "./check.ts";
import type { Facts } from "./facts.ts";

/** Which backend answers, and what it is. kay's own is started, as by every command. */
export const backend: Check = {
  id: "backend",
  title: "Backend",
  async look(facts) {
    const { embedded } = await facts.account();
    if (!embedded && (await facts.legs()).some(({ state }) => state === "failed")) throw new Blocked("Not reached.");
    const { capabilities } = await facts.answer();
    const { baseUrl } = await facts.link();
    if (!embedded && capabilities === null)
      return fine(`${baseUrl} answers; it has what the integration guide has, and not more.`);
    const { name, version, sandbox } = capabilities ?? { name: "kay", version: "?" };
    const what = `${line(name)} ${line(version)} at ${baseUrl}${sandbox ? ", with sandbox services" : ""}`;
    if (!embedded) return fine(`${what}.`);
    return ownBackend(facts, `${what}, kay's own`, version);
  },
};

function ownBackend({ kay, machine }: Facts, what: string, version: string) {
  const log = join(machine.paths.state(), "backend.log");
  if (version === kay.version) return fine(`${what}; its log is ${log}.`);
  return failed(
    `${what}, is of another version than this kay (${kay.version}).`,
    "Wait until its work is done, then run any command: kay starts it anew.",
  );
}
