import type { Timer } from "../ports.ts";
import type { TransportPorts } from "../transport.ts";

/** Ports of a probe. Each step has a time limit; `signal` ends the whole probe. */
export type ProbePorts = TransportPorts & { clock: Timer; signal: AbortSignal };

/** Result of one step, and how to fix it if it failed. */
export type ProbeStep = {
  name: ProbeStepName;
  state: "ok" | "warning" | "failed" | "skipped";
  message: string;
  fix?: string;
};

/** Steps of a probe, in order. */
export type ProbeStepName = "proxy" | "name" | "connect" | "tunnel" | "tls";
