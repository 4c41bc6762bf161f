import { lookWords } from "#client/credentials/keychain";
import { Problem } from "#protocol/errors";
import { type Check, type Finding, failed, fine, skipped, warning } from "./check.ts";
import type { Facts } from "./facts.ts";

/** The system's keychain: whether it can be used, found out without ever calling it, and then a rehearsal with an entry that is thrown away. */
export const keychain: Check = {
  id: "keychain",
  title: "Keychain",
  async look(facts) {
    const preference = (await facts.settings()).text("credentials");
    const { mode } = await facts.storeSight();
    if (mode !== "keychain" && preference === "file")
      return skipped("KAY_CREDENTIALS or the setting says file: it is not used.");
    const look = await facts.machine.keychain.look();
    const { says, fix } = lookWords(look);
    const needed = mode === "keychain" || preference === "keychain";
    if (look.state === "usable") return rehearse(facts, needed);
    const then = look.state === "failed" ? "Restart the keychain service, or log out and in again." : `${fix}.`;
    if (needed) return failed(`${says}.`, then);
    return warning(`${says}. The sign-in is kept in a plain file that only you can read instead.`, then);
  },
};

/** macOS may show a dialog where a key is written, which a look cannot know; nobody is to be asked anything here. */
const ASKS = "darwin";

async function rehearse({ machine, kay }: Facts, needed: boolean): Promise<Finding> {
  if (machine.platform === ASKS) return fine("It can be loaded; nothing was written, since macOS might ask you.");
  const account = `doctor-${Buffer.from(kay.random(6)).toString("hex")}`;
  const key = kay.random(32);
  try {
    await machine.keychain.set(account, key);
    const kept = await machine.keychain.get(account);
    if (!kept || !Buffer.from(kept).equals(key))
      return failed("It did not keep what was written.", lookWords({ state: "frozen" }).fix);
    return fine("It can be used: an entry was written, read and deleted.");
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const fix =
      error.details.keychain === "failed" ? "Restart the keychain service, or log out and in again." : error.hint;
    return needed ? failed(error.message, fix) : warning(error.message, fix);
  } finally {
    await machine.keychain.delete(account).catch(() => {});
  }
}
