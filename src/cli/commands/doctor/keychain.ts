import { describeKeychain } from "#client/credentials/keychain";
import { Problem } from "#protocol/errors";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.ts";
import type { CheckContext } from "./context.ts";

/** The system's keychain: whether it can be used, found out without ever calling it, and then a rehearsal with an entry that is thrown away. */
export const keychainCheck: Check = {
  id: "keychain",
  title: "Keychain",
  async look(facts) {
    const preference = (await facts.settings()).text("credentials");
    const { mode } = await facts.storeSight();
    if (mode !== "keychain" && preference === "file")
      return skip("KAY_CREDENTIALS or the setting says file: it is not used.");
    const look = await facts.machine.keychain.look();
    const { says, fix } = describeKeychain(look);
    const needed = mode === "keychain" || preference === "keychain";
    if (look.state === "usable") return rehearse(facts, needed);
    const then = look.state === "failed" ? "Restart the keychain service, or log out and in again." : `${fix}.`;
    if (needed) return fail(`${says}.`, then);
    return warn(`${says}. The sign-in is kept in a plain file that only you can read instead.`, then);
  },
};

/** macOS may show a dialog where a key is written, which a look cannot know; nobody is to be asked anything here. */
const ASKS = "darwin";

async function rehearse({ machine, kay }: CheckContext, needed: boolean): Promise<Finding> {
  if (machine.platform === ASKS) return ok("It can be loaded; nothing was written, since macOS might ask you.");
  const account = `doctor-${Buffer.from(kay.random(6)).toString("hex")}`;
  const key = kay.random(32);
  try {
    await machine.keychain.set(account, key);
    const kept = await machine.keychain.get(account);
    if (!kept || !Buffer.from(kept).equals(key))
      return fail("It did not keep what was written.", describeKeychain({ state: "frozen" }).fix);
    return ok("It can be used: an entry was written, read and deleted.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const fix =
      error.details.keychain === "failed" ? "Restart the keychain service, or log out and in again." : error.hint;
    return needed ? fail(error.message, fix) : warn(error.message, fix);
  } finally {
    await machine.keychain.delete(account).catch(() => {});
  }
}
