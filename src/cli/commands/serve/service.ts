import { existsSync } from "node:fs";
import { posix } from "node:path";
import type { Kay } from "../../kay.ts";

/** Contents of a service manager's file for the local backend. It holds no secret. */
export type ServiceFacts = {
  /** Program and arguments. */
  command: string[];
  env: Record<string, string>;
  /** File with more variables, such as keys of models; it may be missing. */
  envFile: string;
  /** Log of the backend, if the service manager has none. */
  log: string;
};

/** The service manager of a machine, and its file for kay. */
export type ServiceManager = {
  kind: "systemd" | "launchd";
  file: string;
  /** Formats the file. */
  format(facts: ServiceFacts): string;
};

/** Name of the service in launchd. */
export const LAUNCHD_LABEL = "io.github.kay-agent.kay";

/** Finds the service manager that starts programs when this user logs in; undefined if kay knows none. */
export function findServiceManager(kay: Kay): ServiceManager | undefined {
  const { platform, home } = kay.machine();
  if (!home || !posix.isAbsolute(home)) return undefined;
  if (platform === "linux") {
    const { XDG_CONFIG_HOME: config } = kay.env;
    const folder = config && posix.isAbsolute(config) ? config : posix.join(home, ".config");
    return { kind: "systemd", file: posix.join(folder, "systemd/user/kay.service"), format: formatUnit };
  }
  const file = posix.join(home, "Library/LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  return platform === "darwin" ? { kind: "launchd", file, format: formatPropertyList } : undefined;
}

/** Whether the local backend starts when the user logs in. */
export function isServiceInstalled(kay: Kay): boolean {
  const manager = findServiceManager(kay);
  return manager !== undefined && existsSync(manager.file);
}

/**
 * Formats a unit of systemd (systemd.service(5), "Command lines"). Exit code 143 is a stop by SIGTERM. An idle backend
 * that a newer kay replaces exits with 0 and is not started again.
 */
function formatUnit({ command: [program = "", ...args], env, envFile }: ServiceFacts): string {
  const quote = (text: string) => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%")}"`;
  // Variables are replaced in arguments, but not in the path of the program.
  const words = [quote(program), ...args.map((word) => quote(word).replaceAll("$", "$$$$"))];
  return `[Unit]
Description=kay backend

[Service]
ExecStart=${words.join(" ")}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`)
  .join("")}EnvironmentFile=-${envFile.replaceAll("%", "%%")}
Restart=on-failure
RestartSec=5
SuccessExitStatus=143

[Install]
WantedBy=default.target
`;
}

/** Shell script that reads variables from a file, like systemd, and runs the program. */
const WITH_VARIABLES = 'if [ -r "$0" ]; then set -a; . "$0"; set +a; fi; exec "$@"';

/** Formats a property list of launchd (launchd.plist(5)). */
function formatPropertyList({ command, env, envFile, log }: ServiceFacts): string {
  const renderText = (value: string) =>
    `<string>${value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}</string>`;
  const words = ["/bin/sh", "-c", WITH_VARIABLES, envFile, ...command].map((word) => `    ${renderText(word)}\n`);
  const variables = Object.entries(env).map(([name, value]) => `    <key>${name}</key>\n    ${renderText(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${renderText(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
${words.join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  ${renderText(log)}
</dict>
</plist>
`;
}
