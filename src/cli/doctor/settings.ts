import type { Settings } from "#client/settings";
import type { SettingsSight } from "#client/settings/inspect";
import { shellWord } from "#protocol/shell";
import { type Check, type Finding, failed, fine, warning } from "./check.ts";
import type { Facts } from "./facts.ts";

/** The settings file as it lies there, and what in the environment beats it. */
export const settings: Check = {
  id: "settings",
  title: "Settings",
  async look(facts) {
    const sight = await facts.settingsSight();
    const found = await facts.settings();
    return fileFault(sight, facts) ?? valueFault(found) ?? told(sight, found);
  },
};

function fileFault({ path, state, problem, open, owner, unknown }: SettingsSight, { machine }: Facts): Finding | null {
  const { platform, uid } = machine;
  if (state === "damaged") {
    const fix = "Set what you need again with `kay config set`; the damaged file is kept beside it.";
    return failed(`${path} was damaged, so kay goes on with fresh settings.`, fix);
  }
  if (state !== "absent" && problem) {
    return failed(problem.message, problem.hint || "Make it readable, or set KAY_CONFIG_DIR to another folder.");
  }
  if (platform !== "win32" && owner !== undefined && uid !== undefined && owner !== uid && uid !== 0)
    return warning(`${path} belongs to another user (${owner}).`, `Run \`chown ${uid} ${shellWord(path)}\` as root.`);
  if (platform !== "win32" && open)
    return warning(`${path} can be read by others.`, `Run \`chmod 600 ${shellWord(path)}\`.`);
  const [first] = unknown;
  if (first === undefined) return null;
  const names = unknown.slice(0, 5).join(", ");
  return warning(`${path} has what kay does not know (${names}).`, "Run `kay config list` to see every setting.");
}

/** A value that is not accepted is told by whoever needs it; here all are asked for. */
function valueFault(found: Settings): Finding | null {
  found.list();
  return null;
}

function told({ path, state }: SettingsSight, found: Settings): Finding {
  const over = found.list().filter(({ key, source }) => source === "environment" && key !== "browser");
  const file = state === "absent" ? `none are set yet (${path})` : path;
  const beaten = over.length > 0 ? ` From the environment: ${over.map(({ where }) => where).join(", ")}.` : "";
  return fine(`Profile ${found.profile}; ${file}.${beaten}`);
}
