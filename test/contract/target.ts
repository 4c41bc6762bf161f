import { beforeAll } from "vitest";
import { useServed } from "#test/served";
import { type Consent, consentAsPossible, isSandbox } from "./consent.ts";
import { type GuideClient, guideClient, type SignedIn } from "./guide-client.ts";

/** The backend under test, and common steps of the checks. */
export type Target = {
  guide: GuideClient;
  /** Creates a separate sign-in by a first connection to jira. */
  signIn(): Promise<SignedIn>;
  /** Signs in again to an existing session that was signed out. */
  signInAgain(session_id: string): Promise<SignedIn>;
  /** A sign-in shared by tests that do not change it. */
  shared(): Promise<SignedIn>;
  /** Connects another service as a signed-in client, without polling. */
  connectLater(session_id: string, service: string): Promise<void>;
  /** Whether the world behind the backend is the sandbox's, with its project KAY. */
  sandbox(): Promise<boolean>;
  /** A request for a harmless change, or undefined if only the user who runs the checks can name one. */
  change(): Promise<string | undefined>;
};

/** How long a user may take to consent, in ms; a sandbox needs no time. */
const PATIENCE = 10 * 60_000;

/** `KAY_CONTRACT_URL` names a running backend; otherwise one is started for the tests of the file. */
export function useTarget(): () => Target {
  const given = process.env.KAY_CONTRACT_URL?.replace(/\/+$/, "");
  const url = given ? () => given : useServed();
  let target: Target | undefined;
  beforeAll(() => {
    target = createTarget(url(), consentAsPossible);
  });
  return () => {
    if (!target) throw new Error("The target is there only while tests run.");
    return target;
  };
}

function createTarget(url: string, consent: Consent): Target {
  const guide = guideClient(url);
  let shared: Promise<SignedIn> | undefined;
  const signIn = async (known: { session_id?: string } = {}) => {
    const { body } = await guide.connect("jira", known);
    const [session_id = "", url = "", state = ""] = [body.session_id, body.authorization_url, body.state].map(String);
    await consent(url);
    return { session_id, ...(await waitForSignIn(guide, state)) };
  };
  const sandbox = async () => isSandbox(String((await guide.connect("jira")).body.authorization_url));
  return {
    guide,
    signIn: () => signIn(),
    signInAgain: (session_id) => signIn({ session_id }),
    shared: () => {
      shared ??= signIn();
      return shared;
    },
    async connectLater(session_id, service) {
      const { body } = await guide.connect(service, { session_id });
      await consent(String(body.authorization_url));
      await until(async () => isConnected((await guide.connections({ session_id })).body, service));
    },
    sandbox,
    async change() {
      const own = process.env.KAY_CONTRACT_CHANGE;
      return own ?? ((await sandbox()) ? "create a task in KAY: Contract check" : undefined);
    },
  };
}

/** Polls as in the guide: every 2 to 3 seconds, or at once if nobody has to click first. */
async function waitForSignIn(guide: GuideClient, state: string): Promise<Omit<SignedIn, "session_id">> {
  let found: Omit<SignedIn, "session_id"> | undefined;
  await until(async () => {
    const { body } = await guide.status(state);
    if (body.status === "completed") found = body as Omit<SignedIn, "session_id">;
    return found !== undefined;
  });
  if (!found) throw new Error("The authorization was not completed.");
  return found;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error("Nobody consented within ten minutes.");
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

/** Returns whether an answer of `GET /connections` says that a service is connected. */
export function isConnected(body: Record<string, unknown>, service: string): boolean {
  const connections = body.connections as Record<string, { connected: boolean }>;
  return connections[service]?.connected === true;
}

/**
 * Whether a status refuses a request for what is in it. The guide fixes the bodies of these, not the status; but a 401 would send its client
 * into a refresh, which cannot help.
 */
export function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401;
}
