import { isScriptToken } from "#protocol/script-token";
import type { ScriptTokenView } from "#protocol/script-tokens";
import type { Kay } from "../kay.ts";
import type { BackendHandle } from "./handle.ts";

/** Whether KAY_TOKEN is a script token. */
export function hasScriptToken({ env }: Pick<Kay, "env">): boolean {
  return isScriptToken(env.KAY_TOKEN?.trim() ?? "");
}

/** Returns the script token in KAY_TOKEN as the backend describes it; undefined without one. */
export async function findScriptToken(
  kay: Pick<Kay, "env">,
  { usesEnvironmentToken, api }: BackendHandle,
): Promise<ScriptTokenView | undefined> {
  if (!usesEnvironmentToken || !hasScriptToken(kay)) return undefined;
  return (await api.scriptToken()) ?? undefined;
}
