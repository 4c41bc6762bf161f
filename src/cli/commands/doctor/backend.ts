import { join } from "node:path";
import { toLine } from "#ui/text/words";
import { BlockedCheck, type Check, fail, ok } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Which backend answers, and what it is. kay's own is started, as by every command. */
export const backendCheck: Check = {
  id: "backend",
  title: "Backend",
  async look(facts) {
    const { embedded } = await facts.account();
    if (!embedded && (await facts.legs()).some(({ state }) => state === "failed"))
      throw new BlockedCheck("Not reached.");
    const { capabilities } = await facts.answer();
    const { baseUrl } = await facts.link();
    if (!embedded && capabilities === null)
      return ok(`${baseUrl} answers; it has what the integration guide has, and not more.`);
    const { name, version, sandbox } = capabilities ?? { name: "kay", version: "?" };
    const what = `${toLine(name)} ${toLine(version)} at ${baseUrl}${sandbox ? ", with sandbox services" : ""}`;
    if (!embedded) return ok(`${what}.`);
    return ownBackend(facts, `${what}, kay's own`, version);
  },
};

function ownBackend({ kay, machine }: CheckContext, what: string, version: string) {
  const log = join(machine.paths.state(), "backend.log");
  if (version === kay.version) return ok(`${what}; its log is ${log}.`);
  return fail(
    `${what}, is of another version than this kay (${kay.version}).`,
    "Wait until its work is done, then run any command: kay starts it anew.",
  );
}
