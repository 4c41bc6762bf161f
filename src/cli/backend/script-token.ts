import { isScriptToken, type ScriptTokenView } from "#protocol/script-tokens";
import type { Kay } from "../kay.ts";
import type { BackendHandle } from "./handle.ts";

/** Returns the script token in KAY_TOKEN as the backend describes it; undefined without one. */
export async function findScriptToken(
  { env }: Pick<Kay, "env">,
  { usesEnvironmentToken, api }: BackendHandle,
): Promise<ScriptTokenView | undefined> {
  if (!usesEnvironmentToken || !isScriptToken(env.KAY_TOKEN?.trim() ?? "")) return undefined;
  return (await api.scriptToken()) ?? undefined;
}
