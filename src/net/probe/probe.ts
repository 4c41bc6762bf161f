import { BlockList, type Socket } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackHost } from "../addresses.ts";
import { findProxy, type HttpProxy, maskProxy } from "../proxy.ts";
import { connectTo } from "./connect.ts";
import { lookUpAddresses } from "./dns.ts";
import type { ProbePorts, ProbeStep, ProbeStepName } from "./step.ts";
import { startTls, type TlsResult } from "./tls.ts";
import { openTunnel } from "./tunnel.ts";

/** Limit for one leg, in milliseconds: all of them together stay below 14 s. */
const LEG_LIMIT_MS = 3_000;

/** One leg's work. What it throws as a Problem is how it failed; anything else is a fault of kay's own. */
type Step = (limit: AbortSignal) => Promise<Omit<ProbeStep, "leg"> | null>;

/**
 * Walk the way to a backend leg by leg, as a request would go, without sending one: which proxy, its name or the host's, a connection, the tunnel
 * through the proxy, and TLS. The first leg that fails ends it; those after it are skipped.
 */
export async function probeRoute(address: string, ports: ProbePorts): Promise<ProbeStep[]> {
  const url = new URL(address);
  const legs: ProbeStep[] = [];
  const way: Way = { url, proxy: null, addresses: [], socket: null, secured: null };
  let broken: ProbeStepName | null = null;
  const go = async (leg: ProbeStepName, step: Step) => {
    if (broken !== null)
      return void legs.push({ leg, state: "skipped", message: `Not reached: ${NAMES[broken]} failed.` });
    const went = await limited(ports, step).catch((error: unknown) => fail(error, leg));
    if (went === null) return;
    legs.push({ leg, ...went });
    if (went.state === "failed") broken = leg;
  };
  try {
    await go("proxy", async () => chooseProxy(way, ports.env));
    await go("name", async () => {
      const found = await lookUpAddresses(getTarget(way).hostname);
      way.addresses = found.addresses;
      return found;
    });
    await go("connect", async (limit) => {
      const connected = await connectTo(getTarget(way), way.addresses, limit);
      way.socket = connected.socket;
      return connected;
    });
    await go("tunnel", (limit) => throughProxy(way, ports, limit));
    await go("tls", async (limit) => {
      if (url.protocol !== "https:" || way.socket === null) return null;
      way.secured = await startTls(way.socket, url, ports, limit);
      return way.secured;
    });
  } finally {
    way.secured?.socket.destroy();
    way.socket?.destroy();
  }
  return legs.map(({ leg, state, message, fix }) => ({ leg, state, message, ...(fix ? { fix } : {}) }));
}

/** What was found of the way so far. */
type Way = { url: URL; proxy: HttpProxy | null; addresses: string[]; socket: Socket | null; secured: TlsResult | null };

const NAMES: Record<ProbeStepName, string> = {
  proxy: "choosing the proxy",
  name: "finding the name",
  connect: "the connection",
  tunnel: "the tunnel",
  tls: "TLS",
};

/** Whom a connection is made to: the proxy, or the host itself. */
function getTarget({ url, proxy }: Way): URL {
  return proxy?.url ?? url;
}

function chooseProxy(way: Way, env: ProbePorts["env"]): Omit<ProbeStep, "leg"> {
  const { url } = way;
  if (url.protocol === "http:" && isLoopbackHost(url.hostname))
    return { state: "ok", message: "None: plain http to this machine never goes through one." };
  way.proxy = findProxy(url, env, BlockList);
  if (way.proxy) return { state: "ok", message: `${maskProxy(way.proxy)}, which ${way.proxy.variable} names.` };
  const without = findProxy(url, { ...env, no_proxy: "", NO_PROXY: "" }, BlockList);
  const exempting = ["no_proxy", "NO_PROXY"].find((name) => env[name]?.trim());
  if (without)
    return { state: "ok", message: `None: ${exempting} lists ${url.hostname}, so ${without.variable} is not used.` };
  return { state: "ok", message: "None: no proxy is set for this address." };
}

/** A request by plain http is handed to the proxy as it is; only https needs a tunnel. */
async function throughProxy(way: Way, ports: ProbePorts, limit: AbortSignal): Promise<Omit<ProbeStep, "leg"> | null> {
  const { proxy, url, socket } = way;
  if (proxy === null || socket === null || (url.protocol === "http:" && proxy.url.protocol === "http:")) return null;
  if (proxy.url.protocol === "https:") {
    const secured = await startTls(socket, proxy.url, ports, limit);
    if (secured.state === "failed") return secured;
    way.socket = secured.socket;
  }
  if (url.protocol === "http:") return null;
  return openTunnel(way.socket ?? socket, proxy, url, limit);
}

/** The limit that a step is given ends when its time is over, and never because it is done: what it leaves is used by the next one. */
async function limited({ clock, signal }: ProbePorts, step: Step): Promise<Omit<ProbeStep, "leg"> | null> {
  const timer = new AbortController();
  const limit = new AbortController();
  const end = () => limit.abort();
  signal.addEventListener("abort", end, { once: true });
  const late = clock
    .sleep(LEG_LIMIT_MS, AbortSignal.any([signal, timer.signal]))
    .catch(() => {})
    .then((): Promise<never> => {
      if (signal.aborted) throw signal.reason;
      if (timer.signal.aborted) return new Promise(() => {});
      limit.abort();
      throw new Problem("TIMED_OUT", `No answer within ${LEG_LIMIT_MS / 1000} s.`);
    });
  late.catch(() => {});
  try {
    signal.throwIfAborted();
    return await Promise.race([step(limit.signal), late]);
  } finally {
    signal.removeEventListener("abort", end);
    timer.abort();
  }
}

function fail(error: unknown, leg: ProbeStepName): Omit<ProbeStep, "leg"> {
  if (!(error instanceof Problem)) throw error;
  const fix = error.code === "TIMED_OUT" ? LATE[leg] : error.hint;
  return { state: "failed", message: error.message, fix };
}

/** What to do where nothing came in time. */
const LATE: Record<ProbeStepName, string> = {
  proxy: "",
  name: "Check the name servers of this machine.",
  connect: "A firewall may drop it: check the address, or set HTTPS_PROXY where a proxy is needed.",
  tunnel: "Check that the address of the proxy is that of an HTTP proxy.",
  tls: "Check that the address is that of a backend by https.",
};
