import type { MiddlewareHandler } from "hono";
import type { SandboxEnv } from "../provider.ts";

/**
 * Controls are for programs on this machine. Refused are: other peers, browsers' cross-site requests (Origin, Sec-Fetch-Site), and
 * requests for another host name, which is how a web page whose name was rebound to 127.0.0.1 would look.
 */
export const requireLocal: MiddlewareHandler<SandboxEnv> = async (c, next) => {
  const reason = refusal(c.req.raw, c.env?.address);
  if (reason !== undefined) return c.json({ error: "FORBIDDEN", message: reason }, 403);
  await next();
};

function refusal(request: Request, address: string | undefined): string | undefined {
  if (address === undefined || !isLoopback(address)) return "The sandbox's controls answer to this machine only.";
  const site = request.headers.get("sec-fetch-site");
  if (request.headers.has("origin") || (site !== null && site !== "none"))
    return "The sandbox's controls do not answer to web pages.";
  const { hostname } = new URL(request.url);
  if (hostname !== "localhost" && !isLoopback(hostname.replace(/^\[|\]$/g, "")))
    return "The sandbox's controls answer to loopback names only.";
  return undefined;
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(address);
}
