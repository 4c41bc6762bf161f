import { backend } from "./backend.ts";
import { browser } from "./browser.ts";
import type { Check } from "./check.ts";
import { clock } from "./clock.ts";
import { connections } from "./connections.ts";
import { data } from "./data.ts";
import { keychain } from "./keychain.ts";
import { mcp } from "./mcp.ts";
import { model } from "./model.ts";
import { network } from "./network.ts";
import { postgres } from "./postgres.ts";
import { runtime } from "./runtime.ts";
import { serviceChecks } from "./service.ts";
import { settings } from "./settings.ts";
import { signIn } from "./sign-in.ts";
import { store } from "./store.ts";
import { stream } from "./stream.ts";
import { terminal } from "./terminal.ts";

/** Every check, in the order in which they are shown: this machine, the way, the backend, who one is, and one service. */
export function checksFor(service: string | undefined): Check[] {
  return [
    ...[runtime, settings, store, keychain, terminal, browser, data, postgres],
    ...[...network, backend, clock, stream, signIn, connections, mcp, model],
    ...(service === undefined ? [] : serviceChecks(service)),
  ];
}
