import { join } from "node:path";
import type { SignIn } from "#client/credentials/credentials";
import { getStorePath, inspectStore, type StoreInspection } from "#client/credentials/store";
import { inspectSettings, type SettingsInspection } from "#client/settings/file";
import type { Settings } from "#client/settings/settings";
import type { Timer } from "#net/ports";
import type { ProbeStep } from "#net/probe/step";
import { Problem } from "#protocol/errors";
import type { ServiceView } from "#protocol/tools";
import type { BackendHandle, BackendTarget } from "../../backend/handle.ts";
import type { Kay, MachineFacts } from "../../kay.ts";
import { createRedactor, type Redactor } from "./redact.ts";

type Capabilities = Awaited<ReturnType<BackendHandle["api"]["capabilities"]>>;

/** Facts that several checks share. Each is determined once; a failure rejects for all of them. */
export type CheckContext = {
  kay: Kay;
  machine: MachineFacts;
  /** Ends every wait of the run. */
  signal: AbortSignal;
  /** `--refresh`. */
  refresh: boolean;
  scrub: Redactor;
  /** The raw settings file, before kay has read it. */
  settingsSight(): Promise<SettingsInspection>;
  settings(): Promise<Settings>;
  /** The raw file of the stored sign-in, before kay has read it. */
  storeSight(): Promise<StoreInspection>;
  account(): Promise<BackendTarget>;
  /** The stored sign-in for the backend; empty without one. */
  signIn(): Promise<SignIn>;
  /** A connection to the backend. The local one is started. */
  link(): Promise<BackendHandle>;
  /** The first response of the backend, and its capabilities; null if it does not report them. */
  answer(): Promise<{ capabilities: Capabilities; ms: number }>;
  legs(): Promise<ProbeStep[]>;
  /** Opens a backend that answers. @throws BlockedCheck if none does; the network checks say why */
  connect(): Promise<BackendHandle>;
  /** Opens the backend with the sign-in. @throws BlockedCheck without a sign-in */
  signedIn(): Promise<BackendHandle>;
  /** The services there; null if the backend does not list them. */
  services(): Promise<ServiceView[] | null>;
};

/** Creates the facts of one run. */
export function createCheckContext(
  kay: Kay,
  machine: MachineFacts,
  options: { refresh: boolean; signal: AbortSignal },
): CheckContext {
  const { signal } = options;
  const scrub = createRedactor(kay.env);
  const facts: CheckContext = {
    kay,
    machine,
    ...options,
    scrub,
    settingsSight: memoize(async () => {
      const sight = await inspectSettings(join(machine.paths.config(), "config.json"));
      scrub.hide(...sight.secrets);
      return sight;
    }),
    settings: memoize(async () => {
      await facts.settingsSight().catch(() => {});
      return kay.settings();
    }),
    storeSight: memoize(async () => {
      const sight = await inspectStore(getStorePath(machine.paths.config(), (await facts.settings()).profile));
      scrub.hide(...sight.secrets);
      return sight;
    }),
    account: memoize(async () => {
      await facts.settings();
      await facts.storeSight().catch(() => {});
      return kay.resolveTarget();
    }),
    signIn: memoize(async () => {
      const { credentials, origin } = await facts.account();
      const { signIn } = await credentials.read(origin);
      scrub.hide(signIn.token, signIn.refresh_token, signIn.session_id);
      return signIn;
    }),
    link: memoize(async () => {
      await facts.account();
      // Loads the sign-in first, so that its secrets are redacted.
      await facts.signIn().catch(() => {});
      return kay.openBackend();
    }),
    answer: memoize(() => awaitInTime(kay.clock, signal, fetchFirstAnswer(facts))),
    legs: memoize(async () => {
      const { baseUrl } = await facts.account();
      return machine.walk(baseUrl ?? (await facts.link()).baseUrl, signal);
    }),
    connect: async () => {
      await facts.answer().catch(toBlockedCheck("The backend could not be reached."));
      return facts.link();
    },
    signedIn: async () => {
      const link = await facts.connect();
      if (link.usesEnvironmentToken) return link;
      const { token, refresh_token } = await facts.signIn().catch(toBlockedCheck("The stored sign-in cannot be read."));
      if (!token && !refresh_token) throw new BlockedCheck("Not signed in.");
      return link;
    },
    services: memoize(async () => (await (await facts.signedIn()).api.services({ signal }))?.services ?? null),
  };
  return facts;
}

/** Time limit for the backend's start and first response, in ms, so that dependent checks end in time too. */
const ANSWER_LIMIT_MS = 11_000;

async function fetchFirstAnswer(facts: CheckContext) {
  const { kay, link, signal } = facts;
  const { api } = await link();
  const began = kay.clock.now();
  const capabilities = await Promise.race([api.capabilities({ signal }), refuseBrokenWay(facts)]);
  return { capabilities, ms: kay.clock.now() - began };
}

/** Rejects when a step of the way fails, so that the backend's time limit need not pass. */
async function refuseBrokenWay({ legs }: CheckContext): Promise<never> {
  if ((await legs()).some(({ state }) => state === "failed"))
    throw new BlockedCheck("The backend could not be reached.");
  return new Promise(() => {});
}

async function awaitInTime<T>(clock: Timer, signal: AbortSignal, work: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = clock
    .sleep(ANSWER_LIMIT_MS, AbortSignal.any([signal, controller.signal]))
    .catch(() => {})
    .then((): Promise<never> => {
      if (signal.aborted || controller.signal.aborted) return new Promise(() => {});
      throw new Problem("TIMED_OUT", `The backend has not answered within ${ANSWER_LIMIT_MS / 1000} s.`, {
        hint: "The local backend takes longer to start the first time. Run `kay doctor` again in a moment.",
      });
    });
  try {
    return await Promise.race([work, late]);
  } finally {
    controller.abort();
  }
}

/** Returns a function that runs `work` once and returns its promise to every caller. */
function memoize<T>(work: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () => {
    promise ??= work();
    return promise;
  };
}

/** Converts a problem that another check reports to a BlockedCheck; internal errors stay. */
function toBlockedCheck(reason: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Problem || error instanceof BlockedCheck ? new BlockedCheck(reason) : error;
  };
}

/** A fault that another check reports. */
export class BlockedCheck extends Error {}
