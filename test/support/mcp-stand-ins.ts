import type { Fetch } from "#net/ports";
import { findKnownService } from "#protocol/known-services";
import { type LoginOptions, mcpLogin } from "./mcp-login.ts";
import { notesServer } from "./mcp-server.ts";

/** Tests of a file share the database, in which clients are registered by the address of their authorization server. */
let count = 0;

/** A stand-in for a known server, at its real address: an MCP server and its sign-in. */
export function mcpStandIn(name: string, options: LoginOptions | { key: string } | "open") {
  const notes = findKnownService(name)?.url ?? "";
  const server = notesServer();
  const key = typeof options === "object" && "key" in options ? options.key : undefined;
  const login =
    typeof options === "object" && !("key" in options)
      ? mcpLogin({ notes, login: `https://login${++count}.example.test/t1`, ...options })
      : undefined;
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    if (request.url.replace(/\?.*/, "") !== notes)
      return (await login?.fetch(url, init)) ?? new Response(null, { status: 404 });
    if (key !== undefined && request.headers.get("authorization") !== `Bearer ${key}`)
      return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
    return login?.refused(request) ?? (await server.fetch(request));
  };
  return { fetch, login, server, notes };
}
