import { backendCheck } from "../commands/doctor/backend.ts";
import type { Check } from "../commands/doctor/check.ts";
import { dataCheck } from "../commands/doctor/data.ts";
import { keychainCheck } from "../commands/doctor/keychain.ts";
import { mcpCheck } from "../commands/doctor/mcp.ts";
import { modelCheck } from "../commands/doctor/model.ts";
import { networkChecks } from "../commands/doctor/network.ts";
import { createServiceChecks } from "../commands/doctor/service.ts";
import { settingsCheck } from "../commands/doctor/settings.ts";
import { signInCheck } from "../commands/doctor/sign-in.ts";
import { streamCheck } from "../commands/doctor/stream.ts";
import { terminalCheck } from "../commands/doctor/terminal.ts";
import { browserCheck } from "./browser.ts";
import { clockCheck } from "./clock.ts";
import { connectionsCheck } from "./connections.ts";
import { postgresCheck } from "./postgres.ts";
import { runtimeCheck } from "./runtime.ts";
import { storeCheck } from "./store.ts";

/** Every check, in the order in which they are shown: this machine, the way, the backend, who one is, and one service. */
export function listChecks(service: string | undefined): Check[] {
  return [
    ...[runtimeCheck, settingsCheck, storeCheck, keychainCheck, terminalCheck, browserCheck, dataCheck, postgresCheck],
    ...[...networkChecks, backendCheck, clockCheck, streamCheck, signInCheck, connectionsCheck, mcpCheck, modelCheck],
    ...(service === undefined ? [] : createServiceChecks(service)),
  ];
}
