import { isIPv6 } from "node:net";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "#protocol/errors";
import type { Observe } from "#telemetry/trace";
import type { Limits } from "../ports.ts";

/** Limits of a backend whose operator sets none: 1 MiB bodies, and room for a team behind one address. */
export const DEFAULT_LIMITS: Limits = { bodyBytes: 1024 * 1024, requestsPerMinute: 1200, sensitivePerMinute: 240 };

/** Routes that hand out or spend secrets, or create rows without a sign-in; these accept fewer requests. */
const SENSITIVE = [
  "/connections/connect",
  "/auth/status/:state",
  "/auth/refresh",
  "/auth/callback",
  "/auth/callback/:place",
  "/auth/begin",
  "/auth/undo",
  "/auth/key",
  "/auth/token",
  "/auth/tokens",
  "/auth/tokens/:id",
  "/answer",
  "/answer/:id",
  "/answer/device",
  "/answer/device/:token",
  "/mcp/authorize",
  "/mcp/authorize/:code",
  "/mcp/token",
  "/mcp/register",
  "/mcp/revoke",
  "/mcp/requests/:code",
  "/ask/confirm",
  "/services",
];

/** Counts requests per address or IPv6 network. Each node counts separately. `route` is the template of the route. */
export type RateLimits = { check(route: string, address: string): Promise<void> };

/**
 * Creates the counters of one backend.
 *
 * @throws from `check`: Problem RATE_LIMITED with `retry_after` (seconds) in its details
 */
export function createRateLimits(limits: Limits, observe?: Observe): RateLimits {
  const total = new RateLimiterMemory({ keyPrefix: "all", points: limits.requestsPerMinute, duration: 60 });
  const sensitive = new RateLimiterMemory({ keyPrefix: "sensitive", points: limits.sensitivePerMinute, duration: 60 });
  return {
    async check(route, address) {
      const network = toNetwork(address);
      await spend(total, network, observe);
      if (SENSITIVE.includes(route)) await spend(sensitive, network, observe);
    },
  };
}

/** Removes the last 64 bits of an IPv6 address, which its owner can choose for each request (RFC 4291, section 2.5.1). */
function toNetwork(address: string): string {
  const url =
    isIPv6(address) && !/^::ffff:/i.test(address) ? URL.parse(`http://[${address.replace(/%.*/, "")}]`) : null;
  if (!url) return address;
  const [head = "", tail] = url.hostname.slice(1, -1).split("::");
  const groups = head.split(":").filter(Boolean);
  const tailGroups = tail?.split(":").filter(Boolean) ?? [];
  const zeros = Array.from({ length: 8 - groups.length - tailGroups.length }, () => "0");
  return [...groups, ...zeros, ...tailGroups].slice(0, 4).join(":");
}

async function spend(limiter: RateLimiterMemory, address: string, observe?: Observe): Promise<void> {
  try {
    await limiter.consume(address);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    observe?.count("kay_rate_limited_total", { limit: limiter.keyPrefix });
    const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1000));
    throw new Problem("RATE_LIMITED", `Too many requests; try again in ${seconds} s.`, {
      details: { retry_after: seconds },
    });
  }
}
