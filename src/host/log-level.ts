import { Problem } from "#protocol/errors";
import { LEVELS, type LogLevel } from "#telemetry/log";

/**
 * How much is logged: KAY_LOG_LEVEL, else everything with `--debug` or KAY_DEBUG, else from `info` on.
 *
 * @throws Problem USAGE for another word
 */
export function readLogLevel(env: Record<string, string | undefined>, debug: boolean): LogLevel {
  const given = env.KAY_LOG_LEVEL?.trim().toLowerCase();
  if (!given) return debug ? "debug" : "info";
  const level = LEVELS.find((each) => each === given);
  if (level) return level;
  throw new Problem("USAGE", `KAY_LOG_LEVEL is ${JSON.stringify(given)}.`, {
    hint: `Set one of ${LEVELS.join(", ")}.`,
  });
}
