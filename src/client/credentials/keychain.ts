import { Problem } from "#protocol/errors";

/** State of the system's keychain. */
export type KeychainState = keyof typeof STATES;

/**
 * Result of checking the keychain, with a technical detail (an errno, an address) and a platform-specific fix; never a
 * secret.
 */
export type KeychainStatus = { state: KeychainState; detail?: string; fix?: string };

/**
 * The system's keychain. kay stores only one random 32-byte key per account, because Windows rejects values over 2,560
 * bytes.
 *
 * `get`, `set` and `delete` throw Problem KEYCHAIN_LOCKED or KEYCHAIN_UNAVAILABLE. Deleting a missing key succeeds.
 */
export type Keychain = {
  check(): Promise<KeychainStatus>;
  get(account: string): Promise<Uint8Array | null>;
  set(account: string, key: Uint8Array): Promise<void>;
  delete(account: string): Promise<void>;
};

/** Returns the problem with the keychain and its fix, for errors, warnings and `kay doctor`. */
export function describeKeychain(look: KeychainStatus): { says: string; fix: string } {
  const { says, fix } = STATES[look.state];
  return { says: look.detail ? `${says} (${look.detail})` : says, fix: look.fix ?? fix };
}

/** Creates the error for a keychain that cannot be used now. */
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
    says: "The D-Bus session bus rejects the connection, so the keychain cannot be reached",
    fix: "Check that DBUS_SESSION_BUS_ADDRESS is the bus of your session",
  },
  mute: {
    says: "The D-Bus session bus does not respond, so the keychain cannot be reached",
    fix: "Log out of the desktop session and back in",
  },
  "no-provider": {
    says: "No keychain service is running on the D-Bus session bus",
    fix: "Install gnome-keyring, KWallet or KeePassXC and start it",
  },
  "no-collection": {
    says: "The keychain has no default collection",
    fix: "Create one in your desktop's password app, or run `gnome-keyring-daemon --replace --unlock --components=secrets` and type a password for it",
  },
  frozen: {
    says: "The keychain service does not respond",
    fix: "Restart it with `gnome-keyring-daemon --replace --components=secrets`, or log out and back in",
  },
  silent: {
    says: "The keychain did not respond",
    fix: "Look for a password dialog, answer it, and try again",
  },
  "no-module": {
    says: "Could not load kay's keychain module",
    fix: "Install kay again with npm's option `--include=optional`",
  },
  failed: {
    says: "The keychain rejected the request",
    fix: "Run `kay doctor`",
  },
} as const;
