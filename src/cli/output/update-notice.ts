import type { Paths } from "#client/paths";
import type { UpdateRecord } from "#client/update/registry";
import type { Kay } from "../kay.ts";
import { isCi, isSet } from "../terminal/terminal.ts";

export type UpdatePorts = {
  paths: Paths;
  /** The command that upgrades this kay; null if it cannot be upgraded. */
  upgrade(): Promise<string | null>;
  /** Starts the registry check in a separate process. Its result is in the record for the next command. */
  look(): void;
};

/**
 * Runs after a command, only on a terminal: reports a newer version, and starts a check of the registry, each at most
 * once a day. Faults here are ignored.
 */
export async function notifyOfUpdate(argv: string[], kay: Kay, ports: UpdatePorts): Promise<void> {
  if (!isWelcome(argv, kay)) return;
  try {
    const upgrade = await ports.upgrade();
    if (!upgrade || (await kay.settings()).text("update-notice") === "off") return;
    const { readUpdateRecord, writeUpdateRecord } = await import("#client/update/registry");
    const folder = ports.paths.state();
    const previous = await readUpdateRecord(folder);
    const now = kay.clock.now();
    const current = previous?.running === kay.version ? previous : undefined;
    const newer = current?.newer && !isWithinDay(current.told, now) ? current.newer : null;
    const isDue = !isWithinDay(current?.looked, now);
    if (!newer && !isDue) return;
    const record: UpdateRecord = {
      looked: isDue ? now : (current?.looked ?? now),
      running: kay.version,
      newer: current?.newer ?? null,
      ...(newer ? { told: now } : current?.told === undefined ? {} : { told: current.told }),
    };
    await writeUpdateRecord(folder, record, Buffer.from(kay.random(8)).toString("hex"));
    if (newer)
      kay.out.writeProgress(`kay ${newer} is available (you have ${kay.version}). Upgrade with \`${upgrade}\`.`);
    if (isDue) ports.look();
  } catch {
    // A missing home folder or a broken setting is reported by commands that need it.
  }
}

const DAY_MS = 24 * 60 * 60_000;

/** A time in the future comes from a clock that was set back, and is ignored. */
function isWithinDay(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now && now - time < DAY_MS;
}

function isWelcome(argv: string[], { env, flags, terminal, signal }: Kay): boolean {
  const asksForHelp = argv.length === 0 || argv[0] === "help" || argv.some((word) => HELP.has(word));
  return (
    !(asksForHelp || flags.json || flags.quiet || signal.aborted || isCi(env)) &&
    terminal.stdout.isTerminal &&
    terminal.stderr.isTerminal &&
    ![env.KAY_NO_UPDATE_NOTIFIER, env.NO_UPDATE_NOTIFIER, env.DO_NOT_TRACK].some(isSet)
  );
}

const HELP = new Set(["--help", "-h", "--version", "-V"]);
