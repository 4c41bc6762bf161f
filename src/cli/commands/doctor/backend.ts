import { join } from "node:path";
import { Problem } from "#protocol/errors";
import { toLine } from "#ui/text/words";
import { type Check, fail, ok, skip, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";
import { BlockedCheck } from "./context.ts";

/** Checks which backend answers, and its version. Starts the local one, like every command. */
export const backendCheck: Check = {
  id: "backend",
  title: "Backend",
  async look(facts) {
    const { embedded } = await facts.account();
    if (!embedded && (await facts.legs()).some(({ state }) => state === "failed"))
      throw new BlockedCheck("Not reached.");
    const { capabilities } = await facts.answer();
    const { baseUrl } = await facts.link();
    if (!embedded && capabilities === null) return ok(`${baseUrl} answers, with the minimal protocol.`);
    const { name, version, sandbox } = capabilities ?? { name: "kay", version: "?" };
    const summary = `${toLine(name)} ${toLine(version)} at ${baseUrl}${sandbox ? ", with sandbox services" : ""}`;
    if (!embedded) return ok(`${summary}.`);
    return inspectOwnBackend(facts, summary, version);
  },
};

function inspectOwnBackend({ kay, machine }: CheckContext, summary: string, version: string) {
  const log = join(machine.paths.state(), "backend.log");
  if (version === kay.version) return ok(`${summary}. Its log is ${log}.`);
  return fail(
    `${summary}. Its version differs from this kay (${kay.version}).`,
    "Wait until its requests end, then run any command. kay then restarts it.",
  );
}

/** Clock differences in ms that cause problems: with short-lived values, and with every token. */
const NOTICED_MS = 60_000;
const HARMFUL_MS = 5 * 60_000;

const FIX =
  "Set this machine's clock from the network: `timedatectl set-ntp true` on Linux, or Date & Time in the settings.";

/** Compares this machine's clock with the backend's. */
export const clockCheck: Check = {
  id: "clock",
  title: "Clock",
  async look(facts) {
    const { api, embedded } = await facts.connect();
    if (embedded) return ok("Same machine as the backend.");
    const offset = api.clockOffsetMs();
    if (offset === undefined) return skip("The backend did not report its time.");
    const apart = Math.abs(offset);
    const says = `It is ${formatAmount(apart)} ${offset < 0 ? "ahead of" : "behind"} the backend's clock.`;
    if (apart > HARMFUL_MS) return fail(`${says} Tokens and links may appear expired or not yet valid.`, FIX);
    if (apart > NOTICED_MS) return warn(says, FIX);
    // The backend reports whole seconds, and the response took time.
    return ok(apart < 3_000 ? "In sync with the backend." : says);
  },
};

function formatAmount(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 48 * 3_600_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

/** Checks the database of the local backend. */
export const postgresCheck: Check = {
  id: "postgres",
  title: "Postgres",
  async look(facts) {
    if (!(await facts.account()).embedded) return null;
    const { env } = facts.kay;
    const variable = ["KAY_DATABASE_URL", "DATABASE_URL"].find((name) => env[name]?.trim());
    if (variable) {
      const url = URL.parse(env[variable]?.trim() ?? "");
      if (!url || !/^postgres(ql)?:$/.test(url.protocol))
        return fail(
          `${variable} is not a valid Postgres address.`,
          `Set ${variable} to postgres://user@host:5432/database, or unset it.`,
        );
      return ok(`${url.host}${url.pathname}, from ${variable}.`);
    }
    try {
      return ok(`Embedded, ${await facts.machine.postgres()}.`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const fix =
        "Set KAY_DATABASE_URL to a Postgres server, or install kay again with npm's option `--include=optional`.";
      return fail(error.message, fix);
    }
  },
};
