/**
 * A test MCP server that answers each method with the given result, byte for byte: `node raw-server.ts '{"tools/list":
 * {"tools": [], "nextCursor": null}}'`. `prefix` is written before its first message, and `envelope` has further fields
 * of each answer.
 */
import { createInterface } from "node:readline";

const { prefix = "", envelope = {}, ...given } = JSON.parse(process.argv[2] ?? "{}") as Record<string, never>;
const results: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } },
  "tools/list": { tools: [{ name: "look", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
  "tools/call": { content: [{ type: "text", text: "seen" }] },
  ...(given as object),
};

process.stdout.write(prefix);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = Object.hasOwn(results, method)
    ? { result: results[method] }
    : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer, ...(envelope as object) })}\n`);
});
