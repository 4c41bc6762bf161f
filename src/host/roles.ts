import { createHmac } from "node:crypto";
import type { BackendPorts } from "#backend/ports";
import type { Keys } from "#backend/store/keys";
import { parseOrigin } from "#net/addresses";
import { Problem } from "#protocol/errors";

/** Role of `kay serve`: the backend for clients, the agent server that runs their turns, or both. */
export type Role = "backend" | "agent" | "both";

type RoleSources = {
  role?: Role;
  env: Record<string, string | undefined>;
  setting(key: string): string | undefined;
};

/** Public URL and keys of a listening process. */
type ListeningBackend = { publicUrl: string; keys: Keys };

/**
 * Returns the agent server to use instead of a model, and whether this process is one. The password goes only to that
 * server.
 *
 * @returns a function to call once the process listens
 * @throws Problem AGENT_NOT_CONFIGURED if a role lacks a setting, INSECURE_URL, USAGE
 */
export function readRole({
  role,
  env,
  setting,
}: RoleSources): (backend: ListeningBackend) => Pick<BackendPorts, "agent" | "agentRole"> {
  const allowInsecure = setting("allow-insecure") === "true";
  const address = env.KAY_AGENT_URL?.trim();
  const url = address && role !== "agent" ? parseOrigin(address, { allowInsecure }).baseUrl : undefined;
  const ownPassword = env.KAY_AGENT_PASSWORD || undefined;
  if (role === "backend" && !url)
    throw new Problem("AGENT_NOT_CONFIGURED", "`kay serve --role backend` requires the URL of an agent server.", {
      hint: "Set KAY_AGENT_URL, or omit --role to run the agent in this backend.",
    });
  if (role === "agent" && !ownPassword)
    throw new Problem("AGENT_NOT_CONFIGURED", "`kay serve --role agent` requires a password for its backends.", {
      hint: "Set KAY_AGENT_PASSWORD to a long random string, on this server and on the backends.",
    });
  return ({ publicUrl, keys }) => {
    const password = ownPassword ?? (role === "both" ? derivePassword(keys) : undefined);
    const agentUrl = url ?? (role === "both" ? publicUrl : undefined);
    const serves = (role === "agent" || role === "both") && password !== undefined;
    return {
      ...(agentUrl ? { agent: { url: agentUrl, ...(password ? { password } : {}) } } : {}),
      ...(serves ? { agentRole: { password, alone: role === "agent", allowInsecure } } : {}),
    };
  };
}

/**
 * Derives the default password from the signing key, so that every process with these keys has the same one. It does
 * not reveal the key.
 */
function derivePassword({ signing }: Keys): string {
  return createHmac("sha256", signing[0].key).update("kay: password of the agent server").digest("base64url");
}
