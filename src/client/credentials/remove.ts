import type { Problem } from "#protocol/errors";
import { readWhole, removeWhole } from "./disk.ts";
import { readEnvelope } from "./envelope.ts";
import { type Keychain, keychainProblem } from "./keychain.ts";

/** Remove what is kept for a profile; see `Credentials.remove`. Only under the write lock. */
export async function removeStored(kept: {
  path: string;
  profile: string;
  keychain: Keychain;
}): Promise<Problem | null> {
  const { path, profile, keychain } = kept;
  const bytes = readWhole(path);
  const isSealed = bytes !== null && readEnvelope(bytes, path)?.mode === "keychain";
  const look = await keychain.look();
  // A locked one can be opened, and then everything goes at once.
  if (isSealed && look.state === "locked") throw keychainProblem(look);
  await removeWhole(path);
  if (look.state !== "usable") return isSealed ? keychainProblem(look) : null;
  return keychain.delete(profile).then(
    () => null,
    (error: Problem) => error,
  );
}
