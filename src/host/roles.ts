import { createHmac } from "node:crypto";
import type { BackendPorts } from "#backend/ports";
import type { Keys } from "#backend/store/keys";
import { parseOrigin } from "#net/addresses";
import { Problem } from "#protocol/errors";

/** What `kay serve` is: the backend that clients speak to, the agent server that runs its turns, or each for itself and others. */
export type Role = "backend" | "agent" | "both";

type Asked = {
  role?: Role;
  env: Record<string, string | undefined>;
  setting(key: string): string | undefined;
};

/** What is known only when the process listens. */
type Known = { publicUrl: string; keys: Keys };

/**
 * The agent server that answers instead of a model here, and whether this is one. Its password goes nowhere but there.
 *
 * @returns to be called with what is known later
 * @throws Problem AGENT_NOT_CONFIGURED where a role lacks what it needs, INSECURE_URL, USAGE
 */
export function readRole({ role, env, setting }: Asked): (known: Known) => Pick<BackendPorts, "agent" | "agentRole"> {
  const allowInsecure = setting("allow-insecure") === "true";
  const given = env.KAY_AGENT_URL?.trim();
  const url = given && role !== "agent" ? parseOrigin(given, { allowInsecure }).baseUrl : undefined;
  const own = env.KAY_AGENT_PASSWORD || undefined;
  if (role === "backend" && !url)
    throw new Problem("AGENT_NOT_CONFIGURED", "`kay serve --role backend` needs the address of an agent server.", {
      hint: "Set KAY_AGENT_URL to it, or leave --role out: then this backend answers by itself.",
    });
  if (role === "agent" && !own)
    throw new Problem("AGENT_NOT_CONFIGURED", "`kay serve --role agent` needs a password for its backends.", {
      hint: "Set KAY_AGENT_PASSWORD to a long random word, here and at the backends.",
    });
  return ({ publicUrl, keys }) => {
    const password = own ?? (role === "both" ? getPassword(keys) : undefined);
    const at = url ?? (role === "both" ? publicUrl : undefined);
    const serves = (role === "agent" || role === "both") && password !== undefined;
    return {
      ...(at ? { agent: { url: at, ...(password ? { password } : {}) } } : {}),
      ...(serves ? { agentRole: { password, alone: role === "agent", allowInsecure } } : {}),
    };
  };
}

/** Where nobody chose one: the same at every process with these keys, since any of them may be asked. It says nothing about the key. */
function getPassword({ signing }: Keys): string {
  return createHmac("sha256", signing[0].key).update("kay: password of the agent server").digest("base64url");
}
