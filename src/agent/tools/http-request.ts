import * as z from "zod/mini";
import type { Access, ServiceConfiguration, Tool } from "#connectors/service";
import { withDescription } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { AgentTool } from "../tool.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const Input = z.object({
  service: withDescription(z.string(), "A connected service, as find_service names it."),
  method: withDescription(
    z._default(z.enum(METHODS), "GET"),
    "GET reads; everything else changes something and is asked about.",
  ),
  path: withDescription(
    z.string().check(z.regex(/^\/(?!\/)[\x21-\x7e]*$/)),
    "Path below the service's API address, such as /rest/api/3/myself, without a host.",
  ),
  query: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    "Query parameters.",
  ),
  body: withDescription(z.optional(z.unknown()), "JSON body."),
});
type Input = z.output<typeof Input>;

/** Characters of an answer that are worth a model's while. */
const MOST = 20_000;

/**
 * One request to the API of a connected service, for what no tool does (seed: call_system). Whether it is asked about goes by its method:
 * the tool stands for a reading, a writing or a destructive one of that service, and the person's policies apply as to those.
 */
export function createHttpRequestTool(
  services: ServiceConfiguration[],
  build: (configuration: ServiceConfiguration, tool: Tool) => AgentTool,
): AgentTool | undefined {
  const [first] = services;
  if (first === undefined) return undefined;
  const general = build(first, requestTool("write"));
  return {
    ...general,
    service: "kay",
    title: "kay",
    own: true,
    specific: (input) => {
      const { service: name, method } = input as Input;
      const wanted = name.trim().toLowerCase();
      const found = services.find(({ service }) => service.name === wanted);
      if (!found) throw new Problem("UNKNOWN_SERVICE", `There is no service “${name.slice(0, 60)}”.`, { hint: "" });
      return build(found, requestTool(getAccess(method)));
    },
  };
}

function requestTool(access: Access): Tool {
  const tool: Tool<Input> = {
    name: "http_request",
    description:
      "Send one request to the API of a connected service, for what no other tool does. Prefer the other tools. GET runs; anything else is asked about.",
    access,
    input: Input,
    examples: [],
    summary: ({ service, method, path }) => `${method} ${path} at ${service}`,
    run: async ({ method, path, query, body }, { http }) => {
      const answer = await http.request({
        method,
        path,
        ...(query ? { query } : {}),
        ...(body === undefined || method === "GET" ? {} : { body }),
        answer: z.unknown(),
      });
      const text = JSON.stringify(answer ?? null, null, 2);
      const cut = text.length > MOST;
      return {
        data: cut ? { cut: true } : (answer ?? null),
        text: `\`\`\`json\n${cut ? `${text.slice(0, MOST)}\n…` : text}\n\`\`\``,
      };
    },
  };
  return tool as unknown as Tool;
}

function getAccess(method: Input["method"]): Access {
  if (method === "GET") return "read";
  return method === "DELETE" ? "destructive" : "write";
}
