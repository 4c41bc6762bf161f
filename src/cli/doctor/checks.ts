import { backendCheck } from "./backend.ts";
import { browserCheck } from "./browser.ts";
import type { Check } from "./check.ts";
import { clockCheck } from "./clock.ts";
import { connectionsCheck } from "./connections.ts";
import { dataCheck } from "./data.ts";
import { keychainCheck } from "./keychain.ts";
import { mcpCheck } from "./mcp.ts";
import { modelCheck } from "./model.ts";
import { networkChecks } from "./network.ts";
import { postgresCheck } from "./postgres.ts";
import { runtimeCheck } from "./runtime.ts";
import { createServiceChecks } from "./service.ts";
import { settingsCheck } from "./settings.ts";
import { signInCheck } from "./sign-in.ts";
import { storeCheck } from "./store.ts";
import { streamCheck } from "./stream.ts";
import { terminalCheck } from "./terminal.ts";

/** Every check, in the order in which they are shown: this machine, the way, the backend, who one is, and one service. */
export function listChecks(service: string | undefined): Check[] {
  return [
    ...[runtimeCheck, settingsCheck, storeCheck, keychainCheck, terminalCheck, browserCheck, dataCheck, postgresCheck],
    ...[...networkChecks, backendCheck, clockCheck, streamCheck, signInCheck, connectionsCheck, mcpCheck, modelCheck],
    ...(service === undefined ? [] : createServiceChecks(service)),
  ];
}
