import { Problem } from "#protocol/errors";

/** What a look at the system's keychain found, before anything of it is used. */
export type KeychainState = keyof typeof STATES;

/** A look, with the technical detail (an errno, an address), and the remedy where the system has its own; never a secret. */
export type KeychainStatus = { state: KeychainState; detail?: string; fix?: string };

/**
 * The system's keychain as kay uses it: one random 32-byte key per account, nothing else and nothing longer (Windows refuses values
 * over 2,560 bytes).
 *
 * `get`, `set` and `delete` throw Problem KEYCHAIN_LOCKED or KEYCHAIN_UNAVAILABLE. Deleting an absent key is success.
 */
export type Keychain = {
  look(): Promise<KeychainStatus>;
  get(account: string): Promise<Uint8Array | null>;
  set(account: string, key: Uint8Array): Promise<void>;
  delete(account: string): Promise<void>;
};

/** What is wrong and what to do about it, for one look: the words of errors, of the warning, and of `kay doctor`. */
export function describeKeychain(look: KeychainStatus): { says: string; fix: string } {
  const { says, fix } = STATES[look.state];
  return { says: look.detail ? `${says} (${look.detail})` : says, fix: look.fix ?? fix };
}

/** The Problem of a keychain that cannot be used now. Each state has its own sentence; the hint says what to type. */
export function toKeychainProblem(look: KeychainStatus, cause?: unknown): Problem {
  const { says, fix } = describeKeychain(look);
  const code = look.state === "locked" ? "KEYCHAIN_LOCKED" : "KEYCHAIN_UNAVAILABLE";
  return new Problem(code, `${says}.`, { hint: `${fix}.`, details: { keychain: look.state }, cause });
}

const STATES = {
  usable: { says: "The keychain is available", fix: "Nothing to do" },
  locked: {
    says: "The keychain is locked",
    fix: "Unlock it in your desktop's password app, or run `gnome-keyring-daemon --replace --unlock --components=secrets` and type its password, then try again",
  },
  "no-bus": {
    says: "No D-Bus session bus is available, so the keychain cannot be used",
    fix: "Run kay in a desktop session or under `dbus-run-session`",
  },
  refused: {
    says: "The D-Bus session bus refuses the connection, so no keychain can be reached",
    fix: "Check that DBUS_SESSION_BUS_ADDRESS names the bus of your own session",
  },
  mute: {
    says: "The D-Bus session bus does not answer, so no keychain can be reached",
    fix: "Log out of the desktop session and in again",
  },
  "no-provider": {
    says: "No keychain service runs on the D-Bus session bus",
    fix: "Install gnome-keyring, KWallet or KeePassXC and start it",
  },
  "no-collection": {
    says: "The keychain has no default collection",
    fix: "Create one in your desktop's password app, or run `gnome-keyring-daemon --replace --unlock --components=secrets` and type a password for it",
  },
  frozen: {
    says: "The keychain service does not answer",
    fix: "Restart it with `gnome-keyring-daemon --replace --components=secrets`, or log out and in again",
  },
  silent: {
    says: "The keychain did not answer",
    fix: "Look for a dialog that asks for your password, answer it, and try again",
  },
  "no-module": {
    says: "kay's keychain module cannot be loaded on this machine",
    fix: "Install kay again with its optional dependencies (`npm install -g kay --include=optional`)",
  },
  failed: {
    says: "The keychain refused the request",
    fix: "Run `kay doctor`",
  },
} as const;
