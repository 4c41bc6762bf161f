import { describeKeychain } from "#client/credentials/keychain";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** Checks the system's keychain: first whether it exists, without calling it, then with a temporary entry. */
export const keychainCheck: Check = {
  id: "keychain",
  title: "Keychain",
  async look(facts) {
    const preference = (await facts.settings()).text("credentials");
    const { mode } = await facts.storeSight();
    if (mode !== "keychain" && preference === "file")
      return skip('Not used, because the setting "credentials" is file.');
    const look = await facts.machine.keychain.check();
    const { says, fix } = describeKeychain(look);
    const isRequired = mode === "keychain" || preference === "keychain";
    if (look.state === "usable") return testKeychain(facts, isRequired);
    const hint = look.state === "failed" ? "Restart the keychain service, or log out and in again." : `${fix}.`;
    if (isRequired) return fail(`${says}.`, hint);
    return warn(`${says}. The sign-in is stored in a plain file instead, which only you can read.`, hint);
  },
};

/** macOS may show a dialog when a key is written, and doctor must not prompt. */
const ASKS = "darwin";

async function testKeychain({ machine, kay }: CheckContext, isRequired: boolean): Promise<Finding> {
  if (machine.platform === ASKS) return ok("Available. Nothing was written, because macOS might show a dialog.");
  const account = `doctor-${Buffer.from(kay.random(6)).toString("hex")}`;
  const key = kay.random(32);
  try {
    await machine.keychain.set(account, key);
    const storedKey = await machine.keychain.get(account);
    if (!storedKey || !Buffer.from(storedKey).equals(key))
      return fail("A test entry could not be read back.", describeKeychain({ state: "frozen" }).fix);
    return ok("Working: a test entry was written, read and deleted.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const fix =
      error.details.keychain === "failed" ? "Restart the keychain service, or log out and in again." : error.hint;
    return isRequired ? fail(error.message, fix) : warn(error.message, fix);
  } finally {
    await machine.keychain.delete(account).catch(() => {});
  }
}

/** Checks the file that stores the sign-in. */
export const storeCheck: Check = {
  id: "store",
  title: "Sign-in file",
  async look(facts) {
    const { path, state, problem, mode, open, owner } = await facts.storeSight();
    const { platform, uid } = facts.machine;
    if (state === "absent") return ok(`${path} does not exist yet; \`kay connect\` creates it.`);
    if (state === "damaged")
      return fail(`${path} is damaged; kay keeps a copy.`, "Run `kay connect <service>` to sign in again.");
    if (problem) return fail(problem.message, problem.hint || `Check the permissions of ${path}.`);
    if (platform !== "win32" && owner !== undefined && uid !== undefined && owner !== uid && uid !== 0)
      return warn(
        `${path} belongs to another user (${owner}).`,
        `Run \`chown ${uid} ${quoteShellWord(path)}\` as root.`,
      );
    if (platform !== "win32" && open)
      return warn(
        `${path} could be read by other users.`,
        "kay has restricted it, if possible. If others may have read it, run `kay logout` and connect again.",
      );
    if (mode === undefined) return skip(`${path} does not say how it is stored.`);
    const storage =
      mode === "keychain" ? "encrypted with a key from the keychain" : "a plain file that only you can read";
    return ok(`${path}, ${storage}.`);
  },
};
