import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getErrno, makePrivateFolders } from "#files/folders";
import { unwritableProblem, writeWholeFile } from "#files/replace-file";
import { listShapingVariables } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import { toLine } from "#ui/text/words";
import type { Kay } from "../../kay.ts";
import { findServiceManager, LAUNCHD_LABEL, type ServiceFacts, type ServiceManager } from "./service.ts";

/** Variables that the file sets: kay's folders, and settings that are not secret. Others go to `serve.env`. */
const VARIABLES = [
  ...["PATH", "KAY_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"],
  ...["KAY_MODEL", "KAY_CA_FILE", "NODE_EXTRA_CA_CERTS"],
];

/** Runs `kay serve --install`, which starts the local backend when the user logs in. */
export async function installService(kay: Kay): Promise<void> {
  const manager = mustFindManager(kay);
  const facts = await getFacts(kay);
  const values = [...facts.command, ...Object.values(facts.env), facts.envFile, manager.file];
  if (values.some((value) => /[\p{Cc}]/u.test(value)))
    throw new Problem("STORE_UNREADABLE", "A path on this machine has a control character, so kay cannot install.");
  try {
    makePrivateFolders(dirname(manager.file));
    await writeWholeFile(manager.file, manager.format(facts));
  } catch (error) {
    throw unwritableProblem(manager.file, error);
  }
  const steps = listSteps(kay, manager, "install");
  const state = canRun(kay, manager) ? await kay.stopBackend() : undefined;
  const started = state !== undefined && (await runSteps(kay, steps));
  const commands = started ? [] : steps.map(({ words }) => words.map(formatWord).join(" "));
  const missing = listShapingVariables(kay.env).filter((name) => !Object.hasOwn(facts.env, name));
  if (kay.flags.json) return kay.out.writeJson({ installed: manager.file, started, commands });
  kay.out.writeLine(`Wrote ${toLine(manager.file)}.`);
  if (started) kay.out.writeLine("Your local backend starts when you log in.");
  else kay.out.writeVerbatim(["Start it with:", ...commands].join("\n  "));
  if (state === "busy")
    kay.out.writeProgress("The backend that runs now is busy. The service replaces it at your next login.");
  if (missing.length > 0)
    kay.out.warn(`The service does not see ${missing.join(", ")}. Write NAME=value lines to ${toLine(facts.envFile)}.`);
}

/** Runs `kay serve --uninstall`. */
export async function uninstallService(kay: Kay): Promise<void> {
  const manager = mustFindManager(kay);
  const steps = listSteps(kay, manager, "uninstall");
  const stopped = canRun(kay, manager) && (await runSteps(kay, steps));
  await rm(manager.file).catch((error: unknown) => {
    if (getErrno(error) !== "ENOENT") throw unwritableProblem(manager.file, error);
    throw new Problem("NOT_FOUND", "kay is not installed as a service.", { hint: "Run `kay serve --install`." });
  });
  if (manager.kind === "systemd" && stopped) await kay.runProgram("systemctl", ["--user", "daemon-reload"]);
  if (kay.flags.json) return kay.out.writeJson({ uninstalled: manager.file });
  kay.out.writeLine(`Removed ${toLine(manager.file)}.`);
}

function mustFindManager(kay: Kay): ServiceManager {
  const manager = findServiceManager(kay);
  if (manager) return manager;
  throw new Problem("USAGE", "kay can install itself only for systemd (Linux) and launchd (macOS).", {
    hint: "Let your system run `kay serve --embedded` when you log in.",
  });
}

async function getFacts(kay: Kay): Promise<ServiceFacts> {
  const { execPath, launcher, paths } = kay.machine();
  const { profile } = await kay.settings();
  return {
    command: [execPath, "--max-semi-space-size=2", launcher, "serve", "--embedded", "--stay", "--profile", profile],
    env: Object.fromEntries(VARIABLES.flatMap((name) => (kay.env[name] ? [[name, kay.env[name]]] : []))),
    envFile: join(paths.config(), "serve.env"),
    log: join(paths.state(), "backend.log"),
  };
}

/** Formats a word for the shell, in quotes only if it needs them. */
function formatWord(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : quoteShellWord(word);
}

/** A command of the service manager; one that is `optional` may fail. */
type Step = { words: [string, ...string[]]; optional?: true };

function listSteps(kay: Kay, { kind, file }: ServiceManager, action: "install" | "uninstall"): Step[] {
  if (kind === "systemd") {
    const createUserStep = (...words: string[]): Step => ({ words: ["systemctl", "--user", ...words] });
    if (action === "uninstall") return [createUserStep("disable", "--now", "kay.service")];
    return [
      createUserStep("daemon-reload"),
      createUserStep("enable", "kay.service"),
      createUserStep("restart", "kay.service"),
    ];
  }
  const domain = `gui/${kay.machine().uid ?? 0}`;
  const leave: Step = { words: ["launchctl", "bootout", `${domain}/${LAUNCHD_LABEL}`], optional: true };
  return action === "uninstall" ? [leave] : [leave, { words: ["launchctl", "bootstrap", domain, file] }];
}

function canRun(kay: Kay, { kind }: ServiceManager): boolean {
  return kay.machine().find(kind === "systemd" ? "systemctl" : "launchctl") !== null;
}

/** Runs the steps and returns whether all succeeded. Without a session bus, as in a container, systemctl fails. */
async function runSteps(kay: Kay, steps: Step[]): Promise<boolean> {
  for (const { words, optional } of steps) {
    const [program, ...args] = words;
    const { code, stderr } = await kay.runProgram(program, args);
    if (code === 0 || optional) continue;
    kay.out.warn(`${program} failed: ${toLine(stderr).slice(0, 300)}`);
    return false;
  }
  return true;
}
