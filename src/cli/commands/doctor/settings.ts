import type { SettingsInspection } from "#client/settings/file";
import type { Settings } from "#client/settings/settings";
import { quoteShellWord } from "#protocol/shell";
import { type Check, type Finding, fail, ok, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Checks the settings file, and the variables that override it. */
export const settingsCheck: Check = {
  id: "settings",
  title: "Settings",
  async look(facts) {
    const sight = await facts.settingsSight();
    const settings = await facts.settings();
    return findFileFault(sight, facts) ?? findValueFault(settings) ?? formatNotice(sight, settings);
  },
};

function findFileFault(
  { path, state, problem, open, owner, unknown }: SettingsInspection,
  { machine }: CheckContext,
): Finding | null {
  const { platform, uid } = machine;
  if (state === "damaged") {
    const fix = "Set what you need again with `kay config set`; the damaged file is kept beside it.";
    return fail(`${path} was damaged, so kay uses the default settings.`, fix);
  }
  if (state !== "absent" && problem) {
    return fail(problem.message, problem.hint || "Make it readable, or set KAY_CONFIG_DIR to another folder.");
  }
  if (platform !== "win32" && owner !== undefined && uid !== undefined && owner !== uid && uid !== 0)
    return warn(`${path} belongs to another user (${owner}).`, `Run \`chown ${uid} ${quoteShellWord(path)}\` as root.`);
  if (platform !== "win32" && open)
    return warn(`${path} can be read by others.`, `Run \`chmod 600 ${quoteShellWord(path)}\`.`);
  const [first] = unknown;
  if (first === undefined) return null;
  const names = unknown.slice(0, 5).join(", ");
  return warn(
    `${path} contains settings that kay does not know (${names}).`,
    "Run `kay config list` to see every setting.",
  );
}

/** Invalid values are reported by the command that needs them; here all are checked. */
function findValueFault(settings: Settings): Finding | null {
  settings.list();
  return null;
}

function formatNotice({ path, state }: SettingsInspection, settings: Settings): Finding {
  const variables = settings.list().filter(({ key, source }) => source === "environment" && key !== "browser");
  const file = state === "absent" ? `none are set yet (${path})` : path;
  const beaten =
    variables.length > 0 ? ` From the environment: ${variables.map(({ where }) => where).join(", ")}.` : "";
  return ok(`Profile ${settings.profile}; ${file}.${beaten}`);
}

/** Reports which kay runs, on which Node, and from where. */
export const runtimeCheck: Check = {
  id: "runtime",
  title: "Runtime",
  async look({ kay, machine }) {
    const { node, execPath, launcher, platform, arch, uid } = machine;
    const summary = `kay ${kay.version} on Node ${node} (${platform} ${arch}), ${execPath}; started from ${launcher}.`;
    if (uid !== 0 || !kay.env.SUDO_USER) return ok(summary);
    return warn(
      `${summary} It runs under sudo, so the files that it creates belong to root.`,
      "Run kay as your own user, not with sudo.",
    );
  },
};
