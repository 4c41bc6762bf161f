import type { CliPorts } from "#cli/ports";

/** A machine on which every check of `kay doctor` passes. */
export const WELL: CliPorts["machine"] = {
  arch: "x64",
  node: "24.0.0",
  execPath: "/usr/bin/node",
  launcher: "/usr/bin/kay",
  uid: process.getuid?.(),
  postgres: async () => "/usr/lib/postgres",
  walk: async () => [
    { name: "proxy", state: "ok", message: "None: no proxy is set for this address." },
    { name: "name", state: "skipped", message: "127.0.0.1 is an IP address, so no lookup is needed." },
    { name: "connect", state: "ok", message: "Port 4000: IPv4 in 1 ms." },
  ],
};
