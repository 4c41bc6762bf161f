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
export function createKay(cliPorts: CliPorts): Kay {
  const { env, terminal, clock, random, version } = cliPorts;
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
    return showInPager(text, { ...cliPorts, signal: kay.signal, flags, warn: out.warn });
  };
  const out = createOutput(terminal, env, () => flags, showInUserPager);
  const warned = new Set<string>();
  const warn = (message: string) => {
    if (!warned.has(message)) out.warn(message);
    warned.add(message);
  };
  const pathsInput: PathsInput = { env, platform: cliPorts.platform, home: cliPorts.home, cwd: cliPorts.cwd };
  const paths = createPaths(pathsInput);
  let cached: Settings | undefined;
  const exclusively = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const { withLock } = await import("#files/lock");
    const createUniqueName = () => Buffer.from(random(8)).toString("hex");
    return withLock({ path, clock, processes: cliPorts.processes, unique: createUniqueName }, work, cliPorts.signal);
  };
  const createProfileSettings = (profile: string | undefined) =>
    createSettings({ paths, env, clock, warn, exclusively, profile, uid: cliPorts.processes.uid });
  const read = () => createProfileSettings(flags.profile);
  const settings = () => {
    cached ??= read();
    return cached;
  };
  const openHistory = async (profile: string) => {
    const { createHistoryFile } = await import("./session/history.ts");
    const { processes } = cliPorts;
    return createHistoryFile({ folder: () => paths.state(), profile, clock, processes, random });
  };
  const createPorts = (profileSettings: Settings) =>
    createHandlePorts({ ...cliPorts, signal: kay.signal }, paths, profileSettings, warn, out.writeProgress);
  const linkPorts = () => {
    if (!env.KAY_TOKEN) warnIfNew(settings(), warn);
    return createPorts(settings());
  };
  const kay: Kay = {
    version,
    greetingShown: cliPorts.greeted ?? false,
    terminal,
    env,
    cwd: cliPorts.cwd,
    clock,
    random,
    signal: cliPorts.signal,
    catchInterrupts: cliPorts.catchInterrupts,
    interrupt: cliPorts.interrupt,
    readPackageFile: cliPorts.packaged,
    choices: {},
    saidNotes: new Set(),
    trust: createTrustFile({ folder: () => paths.state(), exclusively, random }),
    shutdownGraceMs: GRACE_MS,
    out,
    get flags() {
      return flags;
    },
    set flags(next) {
      flags = next;
    },
    settings: async () => settings(),
    resolveTarget: async () => resolveTarget(linkPorts()),
    openBackend: async (options) => {
      const ports = linkPorts();
      return openBackend(ports, resolveTarget(ports), options);
    },
    openTour: async () => {
      const { openTour } = await import("./backend/tour.ts");
      return openTour(createPorts(createProfileSettings(TOUR)), cliPorts.spawnBackend);
    },
    startJq: cliPorts.startJq,
    runProgram: (program, args) => cliPorts.runProgram(program, args, kay.signal),
    profile: () => settings().getChoice(),
    openProfile: async (name) => {
      const settings = createProfileSettings(name);
      const ports = createPorts(settings);
      return {
        settings: settings,
        account: (origin) => resolveTargetAt(ports, origin),
        link: (account) => openBackend(ports, account, { stored: true }),
        history: await openHistory(name),
      };
    },
    localTools: () => cliPorts.localTools((key) => settings().get(key).value?.toString()),
    planBrowser: async (url) => planFor(cliPorts, url, flags, settings()),
    openBrowser: async (plan) => "launch" in plan && cliPorts.launch(plan.launch),
    history: {
      read: async () => (await openHistory(settings().profile)).read(),
      add: async (text) => (await openHistory(settings().profile)).add(text),
    },
    editText: async (text, { usual } = { usual: false }) => {
      const own = env.VISUAL?.trim() || env.EDITOR?.trim();
      const findUsual = async () =>
        (await import("./terminal/editor.ts")).findEditor(cliPorts.platform, cliPorts.findProgram);
      const editor = own || (usual ? await findUsual() : undefined);
      if (!editor) return null;
      // Ctrl+C belongs to the editor.
      const release = cliPorts.catchInterrupts(() => {});
      return cliPorts.edit(editor, text).finally(release);
    },
    copy: async (name, text, write) => {
      const { findClipboardProgram } = await import("./terminal/clipboard.ts");
      const { platform, findProgram: find } = cliPorts;
      const program = findClipboardProgram({ env, platform, find });
      if (program && (await cliPorts.fillClipboard(program, text))) return `Copied ${name}.`;
      write(formatClipboard(text));
      return `Copied ${name} (if your terminal supports it).`;
    },
    stopBackend: async (options) => {
      const { stopEmbedded } = await import("#client/embedded/embedded");
      const { processes, send, endProcess } = cliPorts;
      const ports = { folder: paths.state(), processes, send, clock, signal: kay.signal };
      return stopEmbedded(ports, { ...options, end: endProcess });
    },
    backendStatus: async (url) => {
      const { fetchBackendStatus } = await import("#client/embedded/status");
      const { processes, send } = cliPorts;
      return fetchBackendStatus({ folder: paths.state(), processes, send, token: env.KAY_METRICS_TOKEN?.trim() }, url);
    },
    machine: () => {
      const { build, platform, home, keychain, findProgram: find } = cliPorts;
      return { ...cliPorts.machine, build, platform, home, keychain, find, paths };
    },
    serve: (options) => {
      pathsInput.instead = options.dataDir;
      return cliPorts.serve(options, kay, { paths, settings: read });
    },
    consentInSandbox: async (url) => {
      const { giveSandboxConsent } = await import("./consent/sandbox.ts");
      await giveSandboxConsent(cliPorts.send, url);
    },
    visitCallback: async (url) => {
      const { visitCallback } = await import("./consent/sandbox.ts");
      return visitCallback(cliPorts.send, url);
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
