import { Problem } from "#protocol/errors";
import { type Check, fail, ok } from "../commands/doctor/check.ts";

/** The database of kay's own backend. */
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
          `${variable} is no address of a Postgres.`,
          `Set ${variable} to postgres://user@host:5432/database, or unset it.`,
        );
      return ok(`The one of ${variable}: ${url.host}${url.pathname}.`);
    }
    try {
      return ok(`kay's own, ${await facts.machine.postgres()}.`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const fix =
        "Set KAY_DATABASE_URL to a Postgres, or install kay again with `npm install -g kay --include=optional`.";
      return fail(error.message, fix);
    }
  },
};
