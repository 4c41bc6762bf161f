import type { Timer } from "../ports.ts";
import type { TransportPorts } from "../transport.ts";

/** What a walk needs. Each leg that waits for somebody else ends after {@link LEG_LIMIT_MS}; `signal` ends all of it. */
export type ProbePorts = TransportPorts & { clock: Timer; signal: AbortSignal };

/** How one leg went: words for a person, and what to do where it did not go well. */
export type ProbeStep = {
  leg: ProbeStepName;
  state: "ok" | "warning" | "failed" | "skipped";
  message: string;
  fix?: string;
};

/** The legs of the way to a backend, in their order. */
export type ProbeStepName = "proxy" | "name" | "connect" | "tunnel" | "tls";
