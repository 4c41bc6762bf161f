import { quoteShellWord } from "#protocol/shell";
import { type Check, fail, ok, skip, warn } from "../commands/doctor/check.ts";

/** The file that the sign-in is kept in. */
export const storeCheck: Check = {
  id: "store",
  title: "Sign-in file",
  async look(facts) {
    const { path, state, problem, mode, open, owner } = await facts.storeSight();
    const { platform, uid } = facts.machine;
    if (state === "absent") return ok(`${path} is made by the first \`kay connect\`.`);
    if (state === "damaged")
      return fail(`${path} is damaged; it is kept aside.`, "Run `kay connect <service>` to sign in again.");
    if (problem) return fail(problem.message, problem.hint || `Check the permissions of ${path}.`);
    if (platform !== "win32" && owner !== undefined && uid !== undefined && owner !== uid && uid !== 0)
      return warn(
        `${path} belongs to another user (${owner}).`,
        `Run \`chown ${uid} ${quoteShellWord(path)}\` as root.`,
      );
    if (platform !== "win32" && open)
      return warn(
        `${path} could be read by others.`,
        "kay has closed it, if it could. Run `kay logout` and connect again, should somebody have read it.",
      );
    if (mode === undefined) return skip(`${path} does not say how it is kept.`);
    const kept = mode === "keychain" ? "sealed with a key of the keychain" : "a plain file that only you can read";
    return ok(`${path}, ${kept}.`);
  },
};
