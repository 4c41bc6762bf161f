import { Option } from "commander";
import { parseOrigin } from "#net/addresses";
import { Problem } from "#protocol/errors";
import { Command } from "../../command.ts";
import type { Kay, ServeOptions } from "../../kay.ts";
import { showBackendStatus } from "./status.ts";

type Options = {
  port: number;
  host: string;
  sandbox?: boolean;
  seed?: string;
  databaseUrl?: string;
  dataDir?: string;
  publicUrl?: string;
  role?: ServeOptions["role"];
  sandboxOnly?: boolean;
  drain?: string;
  trustProxy?: string;
  mcp?: boolean;
  embedded?: boolean;
  stay?: boolean;
  install?: boolean;
  uninstall?: boolean;
  stop?: boolean;
  force?: boolean;
  metricsPort?: number;
  status?: boolean;
};

/** Defines `kay serve`: runs the backend until it is stopped. */
export function createServeCommand(kay: Kay): Command {
  return new Command("serve")
    .description("Run a kay backend")
    .option("--port <number>", "Port to listen on; 0 picks a free port", parsePort, 4000)
    .option("--host <address>", "Address to listen on", "127.0.0.1")
    .option("--sandbox", "Use the sandbox for every service, even those with a configured OAuth client")
    .option("--sandbox-only", "Run only the sandbox, to share it between nodes (KAY_SANDBOX)")
    .option("--seed <file>", "Seed data for the sandbox (YAML or JSON)")
    .option("--database-url <url>", "Postgres URL (KAY_DATABASE_URL, DATABASE_URL; default: embedded Postgres)")
    .option("--data-dir <folder>", "Directory for the embedded Postgres and keys")
    .option("--public-url <url>", "Public URL of this backend, used for OAuth redirects", parsePublicUrl)
    .addOption(
      new Option("--role <role>", "Role of this process: backend, agent server, or both").choices([
        "backend",
        "agent",
        "both",
      ]),
    )
    .option("--mcp", "Serve MCP at /mcp for other programs (`kay help mcp`)")
    .option("--metrics-port <number>", "Local port that serves /metrics and /status without a token", parsePort)
    .option("--status", "Show the status of a backend (default: your local one)")
    .option("--trust-proxy <list>", "Trusted reverse proxies (KAY_TRUST_PROXY)")
    .option("--drain <seconds>", "Keep serving for this many seconds after a stop signal (KAY_DRAIN; default: 0)")
    .option("--stop", "Stop your local backend")
    .option("--force", "With --stop: stop it while requests run; they continue at its next start")
    .option("--install", "Start your local backend when you log in (systemd, launchd)")
    .option("--uninstall", "Undo --install")
    .addOption(new Option("--embedded", "used by kay itself").hideHelp())
    .addOption(new Option("--stay", "used by kay itself").hideHelp())
    .addHelpText("after", "\nStops on Ctrl+C or SIGTERM once running requests have finished.")
    .action(async (options: Options, command: Command) => {
      if (options.force && !options.stop)
        throw new Problem("USAGE", "--force requires --stop.", { hint: "Run `kay serve --stop --force`." });
      if (options.stop) return await stop(kay, options.force);
      if (options.install) return (await import("./install.ts")).installService(kay);
      if (options.uninstall) return (await import("./install.ts")).uninstallService(kay);
      if (options.status) return await showBackendStatus(kay, await getAddress(kay, options, command));
      await kay.serve(toServeOptions(options));
    });
}

async function stop(kay: Kay, force = false): Promise<void> {
  const state = await kay.stopBackend({ force });
  if (state === "busy") {
    throw new Problem("BACKEND_BUSY", "The local backend is busy.", {
      hint: "Wait until its requests end, or run `kay serve --stop --force`: they continue at its next start.",
    });
  }
  if (kay.flags.json) return kay.out.writeJson({ state });
  kay.out.writeLine(state === "stopped" ? "Stopped the local backend." : "The local backend is not running.");
}

/** Returns the address of the backend: that of the options, otherwise that of the settings, otherwise the local one. */
async function getAddress(kay: Kay, { host, port }: Options, command: Command): Promise<string | undefined> {
  const isNamed = ["host", "port"].some((name) => command.getOptionValueSource(name) === "cli");
  if (isNamed) {
    const name = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
    const authority = name.includes(":") ? `[${name}]` : name;
    return parseOrigin(`http://${authority}:${port}`, { allowInsecure: true }).baseUrl;
  }
  const settings = await kay.settings();
  const url = settings.text("api-url");
  return url && parseOrigin(url, { allowInsecure: settings.isOn("allow-insecure") }).baseUrl;
}

function toServeOptions({
  stop: _stop,
  force: _force,
  status: _status,
  install: _install,
  uninstall: _uninstall,
  ...options
}: Options): ServeOptions {
  return { ...options, sandbox: options.sandbox ?? Boolean(options.seed), embedded: options.embedded ?? false };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Problem("USAGE", `${JSON.stringify(text)} is not a valid port.`, {
      hint: "Use a number from 0 to 65535.",
    });
  }
  return port;
}

/** Parses the public URL without normalizing it, because providers compare the redirect address byte for byte. */
function parsePublicUrl(text: string): string {
  return parseOrigin(text, { allowInsecure: true }).baseUrl;
}
