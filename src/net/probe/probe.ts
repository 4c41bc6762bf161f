import { BlockList, type Socket } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackHost } from "../addresses.ts";
import { findProxy, type HttpProxy, maskProxy } from "../proxy.ts";
import { connectTo } from "./connect.ts";
import { lookUpAddresses } from "./dns.ts";
import type { ProbePorts, ProbeStep, ProbeStepName } from "./step.ts";
import { startTls, type TlsResult } from "./tls.ts";
import { openTunnel } from "./tunnel.ts";

/** Time limit of one step in ms. All steps together stay below 14 s. */
const STEP_LIMIT_MS = 3_000;

/** Runs one step. A Problem that it throws is how the step failed; any other error is a bug. */
type Step = (limit: AbortSignal) => Promise<Omit<ProbeStep, "name"> | null>;

/**
 * Probes the route to a backend as a request would use it, without sending one: proxy, name, connection, tunnel through
 * the proxy, and TLS. After the first step that fails, the rest are skipped.
 */
export async function probeRoute(address: string, ports: ProbePorts): Promise<ProbeStep[]> {
  const url = new URL(address);
  const steps: ProbeStep[] = [];
  const probe: ProbeState = { url, proxy: null, addresses: [], socket: null, tls: null };
  let failedStep: ProbeStepName | null = null;
  const runStep = async (name: ProbeStepName, step: Step) => {
    if (failedStep !== null)
      return void steps.push({ name, state: "skipped", message: `Not checked: ${STEP_NAMES[failedStep]} failed.` });
    const result = await runWithTimeLimit(ports, step).catch((error: unknown) => toFailedStep(error, name));
    if (result === null) return;
    steps.push({ name, ...result });
    if (result.state === "failed") failedStep = name;
  };
  try {
    await runStep("proxy", async () => chooseProxy(probe, ports.env));
    await runStep("name", async () => {
      const lookup = await lookUpAddresses(getTarget(probe).hostname);
      probe.addresses = lookup.addresses;
      return lookup;
    });
    await runStep("connect", async (limit) => {
      const connection = await connectTo(getTarget(probe), probe.addresses, limit);
      probe.socket = connection.socket;
      return connection;
    });
    await runStep("tunnel", (limit) => tunnelThroughProxy(probe, ports, limit));
    await runStep("tls", async (limit) => {
      if (url.protocol !== "https:" || probe.socket === null) return null;
      probe.tls = await startTls(probe.socket, url, ports, limit);
      return probe.tls;
    });
  } finally {
    probe.tls?.socket.destroy();
    probe.socket?.destroy();
  }
  return steps.map(({ name, state, message, fix }) => ({ name, state, message, ...(fix ? { fix } : {}) }));
}

/** Results of the steps so far. */
type ProbeState = {
  url: URL;
  proxy: HttpProxy | null;
  addresses: string[];
  socket: Socket | null;
  tls: TlsResult | null;
};

const STEP_NAMES: Record<ProbeStepName, string> = {
  proxy: "proxy selection",
  name: "name lookup",
  connect: "the connection",
  tunnel: "the tunnel",
  tls: "TLS",
};

/** Returns the URL to connect to: the proxy's or the host's. */
function getTarget({ url, proxy }: ProbeState): URL {
  return proxy?.url ?? url;
}

function chooseProxy(probe: ProbeState, env: ProbePorts["env"]): Omit<ProbeStep, "name"> {
  const { url } = probe;
  if (isLoopbackHost(url.hostname)) return { state: "ok", message: "None: a request to this machine never uses one." };
  probe.proxy = findProxy(url, env, BlockList);
  if (probe.proxy) return { state: "ok", message: `${maskProxy(probe.proxy)}, which ${probe.proxy.variable} names.` };
  const unusedProxy = findProxy(url, { ...env, no_proxy: "", NO_PROXY: "" }, BlockList);
  const exemptionVariable = ["no_proxy", "NO_PROXY"].find((name) => env[name]?.trim());
  if (unusedProxy)
    return {
      state: "ok",
      message: `None: ${exemptionVariable} includes ${url.hostname}, so ${unusedProxy.variable} is not used.`,
    };
  return { state: "ok", message: "None: no proxy is set for this address." };
}

/** Opens a tunnel for https. A proxy forwards plain HTTP without one. */
async function tunnelThroughProxy(
  probe: ProbeState,
  ports: ProbePorts,
  limit: AbortSignal,
): Promise<Omit<ProbeStep, "name"> | null> {
  const { proxy, url, socket } = probe;
  if (proxy === null || socket === null || (url.protocol === "http:" && proxy.url.protocol === "http:")) return null;
  if (proxy.url.protocol === "https:") {
    const tls = await startTls(socket, proxy.url, ports, limit);
    if (tls.state === "failed") return tls;
    probe.socket = tls.socket;
  }
  if (url.protocol === "http:") return null;
  return openTunnel(probe.socket ?? socket, proxy, url, limit);
}

/**
 * Runs a step with a time limit. The limit's signal does not fire after the step is done, because the next step uses
 * its connection.
 */
async function runWithTimeLimit({ clock, signal }: ProbePorts, step: Step): Promise<Omit<ProbeStep, "name"> | null> {
  const timer = new AbortController();
  const limit = new AbortController();
  const end = () => limit.abort();
  signal.addEventListener("abort", end, { once: true });
  const timeout = clock
    .sleep(STEP_LIMIT_MS, AbortSignal.any([signal, timer.signal]))
    .catch(() => {})
    .then((): Promise<never> => {
      if (signal.aborted) throw signal.reason;
      if (timer.signal.aborted) return new Promise(() => {});
      limit.abort();
      throw new Problem("TIMED_OUT", `No answer within ${STEP_LIMIT_MS / 1000} s.`);
    });
  timeout.catch(() => {});
  try {
    signal.throwIfAborted();
    return await Promise.race([step(limit.signal), timeout]);
  } finally {
    signal.removeEventListener("abort", end);
    timer.abort();
  }
}

function toFailedStep(error: unknown, name: ProbeStepName): Omit<ProbeStep, "name"> {
  if (!(error instanceof Problem)) throw error;
  const fix = error.code === "TIMED_OUT" ? TIMEOUT_FIXES[name] : error.hint;
  return { state: "failed", message: error.message, fix };
}

/** How to fix a step that timed out. */
const TIMEOUT_FIXES: Record<ProbeStepName, string> = {
  proxy: "",
  name: "Check the DNS servers of this machine.",
  connect: "A firewall may block the connection. Check the address, or set HTTPS_PROXY if a proxy is required.",
  tunnel: "Check that the proxy URL is that of an HTTP proxy.",
  tls: "Check that the URL is that of a backend with HTTPS.",
};
