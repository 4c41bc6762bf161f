import * as z from "zod/mini";
import type { LocalModel, LocalPorts, LocalServer } from "./local-server.ts";
import { FIRST_BYTE_TIMEOUT_MS, fetchLocal, isModelName } from "./local-server.ts";

/** Default address of LM Studio's server. */
export const LM_STUDIO_URL = "http://127.0.0.1:1234";

/**
 * Lists the models of LM Studio (0.4 or later, REST API v1). Only a loaded model can be used without being named,
 * because loading another one takes memory.
 *
 * @throws when the server cannot be reached
 */
export async function listLmStudioModels({ fetch }: LocalPorts): Promise<LocalServer> {
  const url = `${LM_STUDIO_URL}/api/v1/models`;
  const { models } = await fetchLocal(fetch, url, { schema: Models, limitMs: FIRST_BYTE_TIMEOUT_MS });
  const read = models.filter(({ type, key }) => type === "llm" && isModelName(key)).map(toLocalModel);
  return {
    provider: "lmstudio",
    url: LM_STUDIO_URL,
    models: [...read.filter(({ usable }) => usable), ...read.filter(({ usable }) => !usable)],
  };
}

const Instance = z.looseObject({ config: z.optional(z.looseObject({ context_length: z.optional(z.number()) })) });
const Model = z.looseObject({
  type: z.string(),
  key: z.string(),
  loaded_instances: z.optional(z.array(Instance)),
  capabilities: z.optional(z.looseObject({ trained_for_tool_use: z.optional(z.boolean()) })),
});
const Models = z.looseObject({ models: z.array(Model) });

function toLocalModel({ key, loaded_instances: [loaded] = [], capabilities }: z.output<typeof Model>): LocalModel {
  const contextWindow = loaded?.config?.context_length;
  const usable = loaded !== undefined && capabilities?.trained_for_tool_use === true;
  return { name: key, usable, ...(contextWindow ? { contextWindow } : {}) };
}
