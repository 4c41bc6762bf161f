import { readFileIfExists, removeFile } from "#files/replace-file";
import type { Problem } from "#protocol/errors";
import { parseEnvelope } from "./envelope.ts";
import { type Keychain, toKeychainProblem } from "./keychain.ts";

/** Remove what is kept for a profile; see `Credentials.remove`. Only under the write lock. */
export async function removeCredentials(kept: {
  path: string;
  profile: string;
  keychain: Keychain;
}): Promise<Problem | null> {
  const { path, profile, keychain } = kept;
  const bytes = readFileIfExists(path);
  const isSealed = bytes !== null && parseEnvelope(bytes, path)?.mode === "keychain";
  const look = await keychain.look();
  // A locked one can be opened, and then everything goes at once.
  if (isSealed && look.state === "locked") throw toKeychainProblem(look);
  await removeFile(path);
  if (look.state !== "usable") return isSealed ? toKeychainProblem(look) : null;
  return keychain.delete(profile).then(
    () => null,
    (error: Problem) => error,
  );
}
