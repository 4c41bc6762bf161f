import * as z from "zod/mini";
import { cleanLine } from "#protocol/clean";
import type { BackendHandle } from "../backend/handle.ts";
import type { Kay } from "../kay.ts";

const text = z.string();
const PromptList = z.looseObject({
  prompts: z.array(
    z.looseObject({
      name: text,
      description: text,
      arguments: z.array(z.looseObject({ name: text, description: text, required: z.boolean() })),
    }),
  ),
});
const ResourceList = z.looseObject({ resources: z.array(z.looseObject({ uri: text, title: text })) });

/** A prompt that an MCP server offers. All its texts are the server's. */
export type ServerPrompt = z.infer<typeof PromptList>["prompts"][number] & { service: string };

/** A resource of an MCP server. */
export type ServerResource = { service: string; uri: string; title: string };

/** Maximum number of concurrent requests to servers, and the time limit of each, in ms. */
const MOST_SERVERS = 12;
const LIST_TIMEOUT_MS = 20_000;

/** Lists the prompts of connected MCP servers, or of one. A server that fails has none. */
export async function listServerPrompts(kay: Kay, link: BackendHandle, service?: string): Promise<ServerPrompt[]> {
  const lists = await callAll(kay, link, { tool: "prompts_list", service });
  return lists.flatMap(({ service, data }) => {
    const { data: list } = PromptList.safeParse(data);
    return (list?.prompts ?? []).filter(({ name }) => /^[^\s/]\S*$/.test(name)).map((item) => ({ ...item, service }));
  });
}

/** Lists the resources of connected MCP servers. A server that fails has none. */
export async function listServerResources(kay: Kay, link: BackendHandle): Promise<ServerResource[]> {
  const lists = await callAll(kay, link, { tool: "resources_list" });
  return lists.flatMap(({ service, data }) => {
    const { data: list } = ResourceList.safeParse(data);
    return (list?.resources ?? []).map(({ uri, title }) => ({ service, uri, title: cleanLine(title, 120) }));
  });
}

/** Names the connected services that have this tool of MCP servers: `resources_read`. */
export async function listServersWith(kay: Kay, link: BackendHandle, tool: string): Promise<string[]> {
  const catalog = await link.api.tools({ signal: kay.signal });
  const those = (catalog?.tools ?? []).filter(
    (entry) => entry.name === `${entry.service}.${tool}` && entry.connected !== false,
  );
  return those.map(({ service }) => service);
}

async function callAll(
  kay: Kay,
  link: BackendHandle,
  { tool, service }: { tool: string; service?: string | undefined },
): Promise<{ service: string; data: unknown }[]> {
  const all = await listServersWith(kay, link, tool);
  const servers = service === undefined ? all.slice(0, MOST_SERVERS) : all.filter((name) => name === service);
  const signal = AbortSignal.any([kay.signal, AbortSignal.timeout(LIST_TIMEOUT_MS)]);
  const answers = await Promise.allSettled(
    servers.map(async (name) => ({
      service: name,
      data: (await link.api.callTool(`${name}.${tool}`, {}, { signal })).output.data,
    })),
  );
  const [only] = answers;
  if (service !== undefined && only?.status === "rejected") throw only.reason;
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
}
