import { Command, Option } from "commander";
import { parseOrigin } from "#net/addresses";
import { Problem } from "#protocol/errors";
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
  embedded?: boolean;
  stop?: boolean;
  metricsPort?: number;
  status?: boolean;
};

/** `kay serve`: run the backend until it is told to stop. */
export function createServeCommand(kay: Kay): Command {
  return new Command("serve")
    .description("Run the backend that kay speaks to")
    .option("--port <number>", "port to listen on; 0 takes a free one", parsePort, 4000)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--sandbox", "use the sandbox for every service, also where a client id is configured")
    .option("--sandbox-only", "run only the sandbox, for nodes that share it (KAY_SANDBOX)")
    .option("--seed <file>", "the sandbox's world, as YAML or JSON")
    .option("--database-url <url>", "Postgres to use (KAY_DATABASE_URL, DATABASE_URL; default: its own)")
    .option("--data-dir <folder>", "where its own Postgres and keys live")
    .option("--public-url <url>", "where browsers reach it, for the providers' redirects", parsePublicUrl)
    .addOption(
      new Option("--role <role>", "a backend whose turns an agent server runs, that server, or both").choices([
        "backend",
        "agent",
        "both",
      ]),
    )
    .option("--metrics-port <number>", "port of this machine for /metrics and /status without a token", parsePort)
    .option("--status", "show how the backend is: kay's own, or the one at --port, --host or api-url")
    .option("--trust-proxy <list>", "servers in front that say for whom they ask (KAY_TRUST_PROXY)")
    .option("--drain <seconds>", "answer for so long after it is told to stop (KAY_DRAIN; default: 0)")
    .option("--stop", "end the backend that kay started for itself")
    .addOption(new Option("--embedded", "used by kay itself").hideHelp())
    .addHelpText("after", "\nStops on Ctrl+C or SIGTERM, after what is under way has ended.")
    .action(async (options: Options, command: Command) => {
      if (options.stop) return await stop(kay);
      if (options.status) return await showBackendStatus(kay, await getAddress(kay, options, command));
      await kay.serve(work(options));
    });
}

async function stop(kay: Kay): Promise<void> {
  const state = await kay.stopBackend();
  if (state === "busy") {
    throw new Problem("BACKEND_BUSY", "kay's own backend is at work.", {
      hint: "Try again when what it does has ended.",
    });
  }
  if (kay.flags.json) return kay.out.writeJson({ state });
  kay.out.writeLine(state === "stopped" ? "kay's own backend has stopped." : "kay's own backend does not run.");
}

/** The backend that is asked: one that is named here, else that of the settings, else kay's own. */
async function getAddress(kay: Kay, { host, port }: Options, command: Command): Promise<string | undefined> {
  const isNamed = ["host", "port"].some((name) => command.getOptionValueSource(name) === "cli");
  if (isNamed) {
    const name = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
    const authority = name.includes(":") ? `[${name}]` : name;
    return parseOrigin(`http://${authority}:${port}`, { allowInsecure: true }).baseUrl;
  }
  const settings = await kay.settings();
  const given = settings.text("api-url");
  return given && parseOrigin(given, { allowInsecure: settings.isOn("allow-insecure") }).baseUrl;
}

function work({ stop: _stop, status: _status, ...options }: Options): ServeOptions {
  return { ...options, sandbox: options.sandbox ?? Boolean(options.seed), embedded: options.embedded ?? false };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new Problem("USAGE", `${JSON.stringify(text)} is no port.`, { hint: "Give a number from 0 to 65535." });
  }
  return port;
}

/** The redirect that providers know is made of it, byte for byte. */
function parsePublicUrl(text: string): string {
  return parseOrigin(text, { allowInsecure: true }).baseUrl;
}
