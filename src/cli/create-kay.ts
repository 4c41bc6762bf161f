import { createPaths, type PathsInput } from "#client/paths";
import { createSettings, type Settings } from "#client/settings/settings";
import { TOUR } from "#protocol/embedded";
import { openBackend, resolveTarget, resolveTargetAt } from "./backend/open.ts";
import { createHandlePorts } from "./backend/ports.ts";
import { warnIfNew } from "./backend/profile-flag.ts";
import { createTrustFile } from "./context/trust-file.ts";
import type { GlobalFlags, Kay } from "./kay.ts";
import { createOutput } from "./output/output.ts";
import type { CliPorts } from "./ports.ts";
import { type BrowserPlan, planBrowser } from "./terminal/browser.ts";
import { formatClipboard } from "./terminal/known-terminals.ts";
import { isCi } from "./terminal/terminal.ts";

/** Time in ms after which kay exits on a signal even if something cannot be ended (a keychain's dialog, a lock). */
const GRACE_MS = 700;

/** The context of commands for one command line. */
export function createKay(world: CliPorts): Kay {
  const { env, terminal, clock, random, version } = world;
  let flags: GlobalFlags = {
    json: false,
    quiet: false,
    debug: false,
    input: true,
    yes: false,
    browser: true,
    plain: false,
  };
  const showInUserPager = async (text: string) => {
    if (!env.PAGER) return false;
    const { showInPager } = await import("./terminal/pager.ts");
    return showInPager(text, { ...world, signal: kay.signal, flags, warn: out.warn });
  };
  const out = createOutput(terminal, env, () => flags, showInUserPager);
  const warned = new Set<string>();
  const warn = (message: string) => {
    if (!warned.has(message)) out.warn(message);
    warned.add(message);
  };
  const place: PathsInput = { env, platform: world.platform, home: world.home, cwd: world.cwd };
  const paths = createPaths(place);
  let made: Settings | undefined;
  const exclusively = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const { withLock } = await import("#files/lock");
    const createUniqueName = () => Buffer.from(random(8)).toString("hex");
    return withLock({ path, clock, processes: world.processes, unique: createUniqueName }, work, world.signal);
  };
  const createProfileSettings = (profile: string | undefined) =>
    createSettings({ paths, env, clock, warn, exclusively, profile });
  const read = () => createProfileSettings(flags.profile);
  const settings = () => {
    made ??= read();
    return made;
  };
  const openHistory = async (profile: string) => {
    const { createHistoryFile } = await import("./session/history.ts");
    const { processes } = world;
    return createHistoryFile({ folder: () => paths.state(), profile, clock, processes, random });
  };
  const createPorts = (of: Settings) =>
    createHandlePorts({ ...world, signal: kay.signal }, paths, of, warn, out.writeProgress);
  const linkPorts = () => {
    if (!env.KAY_TOKEN) warnIfNew(settings(), warn);
    return createPorts(settings());
  };
  const kay: Kay = {
    version,
    greetingShown: world.greeted ?? false,
    terminal,
    env,
    cwd: world.cwd,
    clock,
    random,
    signal: world.signal,
    catchInterrupts: world.catchInterrupts,
    interrupt: world.interrupt,
    readPackageFile: world.packaged,
    choices: {},
    saidNotes: new Set(),
    trust: createTrustFile({ folder: () => paths.state(), exclusively, random }),
    shutdownGraceMs: GRACE_MS,
    out,
    get flags() {
      return flags;
    },
    set flags(given) {
      flags = given;
    },
    settings: async () => settings(),
    resolveTarget: async () => resolveTarget(linkPorts()),
    openBackend: async (options) => {
      const ports = linkPorts();
      return openBackend(ports, resolveTarget(ports), options);
    },
    openTour: async () => {
      const { openTour } = await import("./backend/tour.ts");
      return openTour(createPorts(createProfileSettings(TOUR)), world.spawnBackend);
    },
    startJq: world.startJq,
    runProgram: (program, args) => world.runProgram(program, args, kay.signal),
    profile: () => settings().getChoice(),
    openProfile: async (name) => {
      const own = createProfileSettings(name);
      const ports = createPorts(own);
      return {
        settings: own,
        account: (origin) => resolveTargetAt(ports, origin),
        link: (account) => openBackend(ports, account, { stored: true }),
        history: await openHistory(name),
      };
    },
    localTools: () => world.localTools((key) => settings().get(key).value?.toString()),
    planBrowser: async (url) => planFor(world, url, flags, settings()),
    openBrowser: async (plan) => "launch" in plan && world.launch(plan.launch),
    history: {
      read: async () => (await openHistory(settings().profile)).read(),
      add: async (text) => (await openHistory(settings().profile)).add(text),
    },
    editText: async (text, { usual } = { usual: false }) => {
      const own = env.VISUAL?.trim() || env.EDITOR?.trim();
      const findUsual = async () =>
        (await import("./terminal/editor.ts")).findEditor(world.platform, world.findProgram);
      const editor = own || (usual ? await findUsual() : undefined);
      if (!editor) return null;
      // Ctrl+C belongs to the editor.
      const release = world.catchInterrupts(() => {});
      return world.edit(editor, text).finally(release);
    },
    copy: async (what, text, write) => {
      const { findClipboardProgram } = await import("./terminal/clipboard.ts");
      const { platform, findProgram: find } = world;
      const program = findClipboardProgram({ env, platform, find });
      if (program && (await world.fillClipboard(program, text))) return `Copied ${what}.`;
      write(formatClipboard(text));
      return `Copied ${what} (if your terminal supports it).`;
    },
    stopBackend: async (options) => {
      const { stopEmbedded } = await import("#client/embedded/embedded");
      const { processes, send, endProcess } = world;
      const ports = { folder: paths.state(), processes, send, clock, signal: kay.signal };
      return stopEmbedded(ports, { ...options, end: endProcess });
    },
    backendStatus: async (at) => {
      const { fetchBackendStatus } = await import("#client/embedded/status");
      const { processes, send } = world;
      return fetchBackendStatus({ folder: paths.state(), processes, send, token: env.KAY_METRICS_TOKEN?.trim() }, at);
    },
    machine: () => {
      const { build, platform, home, keychain, findProgram: find } = world;
      return { ...world.machine, build, platform, home, keychain, find, paths };
    },
    serve: (options) => {
      place.instead = options.dataDir;
      return world.serve(options, kay, { paths, settings: read });
    },
    consentInSandbox: async (url) => {
      const { giveSandboxConsent } = await import("./consent/sandbox.ts");
      await giveSandboxConsent(world.send, url);
    },
    visitCallback: async (url) => {
      const { visitCallback } = await import("./consent/sandbox.ts");
      return visitCallback(world.send, url);
    },
  };
  return kay;
}

function planFor(ports: CliPorts, url: string, flags: GlobalFlags, settings: Settings): BrowserPlan {
  return planBrowser(url, {
    env: ports.env,
    platform: ports.platform,
    procVersion: () => ports.readText("/proc/version"),
    find: ports.findProgram,
    inCi: isCi(ports.env),
    forbidden: !flags.browser,
    setting: settings.text("browser"),
  });
}
