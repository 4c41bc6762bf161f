import type { SignIn } from "#client/credentials/credentials";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { Kay } from "../../kay.ts";

/** Stored facts about a profile. */
type Row = {
  name: string;
  /** Whether commands use it without `--profile`. */
  current: boolean;
  /** `embedded` for the local backend, otherwise its address; null if the settings cannot be read. */
  backend: string | null;
  /** Null if unknown. */
  signed_in: boolean | null;
  /** The account at each service, as last reported by the backend. */
  accounts: Record<string, string>;
  /** Why a value is unknown. */
  problem?: string;
};

/** Runs `kay profile list`. */
export async function listProfiles(kay: Kay): Promise<void> {
  const { profiles } = await kay.settings();
  const { name: current } = kay.profile();
  const names = profiles.list();
  const rows: Row[] = [];
  // One after another, because each may prompt for the keychain.
  for (const name of new Set([...names, current])) rows.push(await getRow(kay, name, name === current));
  if (kay.flags.json) return kay.out.writeJson({ profiles: rows });
  await kay.out.writeTable(["", "PROFILE", "BACKEND", "SIGN-IN", "ACCOUNTS"], rows.map(getCells));
  sayWhy(kay);
}

async function getRow(kay: Kay, name: string, current: boolean): Promise<Row> {
  const row: Row = { name, current, backend: null, signed_in: null, accounts: {} };
  try {
    const profile = await kay.openProfile(name);
    const account = profile.account();
    row.backend = account.embedded ? "embedded" : account.origin;
    const { signIn } = await account.credentials.read(account.origin);
    return { ...row, signed_in: isSignedIn(signIn), accounts: isSignedIn(signIn) ? (signIn.accounts ?? {}) : {} };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...row, problem: error.message };
  }
}

function isSignedIn({ token, refresh_token }: SignIn): boolean {
  return Boolean(token || refresh_token);
}

function getCells({ name, current, backend, signed_in, accounts, problem }: Row): string[] {
  const state = signed_in === null ? "unknown" : signed_in ? "signed in" : "signed out";
  const people = Object.entries(accounts).map(([service, account]) =>
    clean(`${service}: ${account}`, { lines: false }),
  );
  const backendName = backend === "embedded" ? "local" : (backend ?? "unknown");
  return [current ? "*" : "", name, backendName, state, problem ? clean(problem, { lines: false }) : people.join(", ")];
}

/** Mentions variables of this terminal that override the profiles. */
function sayWhy(kay: Kay): void {
  const { name, source } = kay.profile();
  if (source === "environment") kay.out.writeProgress(`KAY_PROFILE names profile ${name}.`);
  if (kay.env.KAY_API_URL?.trim())
    kay.out.writeProgress("KAY_API_URL is set and overrides the backend of every profile.");
}
