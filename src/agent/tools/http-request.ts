import * as z from "zod/mini";
import { getGenericAccess, isPlainPath } from "#connectors/http/generic-request";
import type { ServiceConfiguration } from "#connectors/service";
import type { Access, Tool } from "#connectors/tool";
import { withDescription } from "#connectors/tool";
import { Problem } from "#protocol/errors";
import type { AgentTool } from "../tool.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const Input = z.object({
  service: withDescription(z.string(), "Name of a connected service, such as jira."),
  method: withDescription(z._default(z.enum(METHODS), "GET"), "The HTTP method."),
  path: withDescription(
    z.string().check(z.refine(isPlainPath, "must be a path such as /rest/api/3/myself, without .. and #")),
    "Path below the service's API address, such as /rest/api/3/myself, without a host.",
  ),
  query: withDescription(
    z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
    "Query parameters.",
  ),
  body: withDescription(z.optional(z.unknown()), "JSON body."),
});
type Input = z.output<typeof Input>;

/** Longest response passed to the model, in characters. */
const MAX_RESPONSE_LENGTH = 20_000;

/**
 * Creates the tool that sends one request to a connected service's API when no other tool fits. The service decides whether
 * it counts as a read, a write or a destructive call ({@link getGenericAccess}), and the user's policies apply accordingly.
 */
export function createHttpRequestTool(
  services: ServiceConfiguration[],
  build: (configuration: ServiceConfiguration, tool: Tool) => AgentTool,
): AgentTool | undefined {
  const [first] = services;
  if (first === undefined) return undefined;
  const general = build(first, createRequestTool("write", first));
  return {
    ...general,
    service: "kay",
    title: "kay",
    own: true,
    specific: (input) => {
      const { service: name, ...request } = input as Input;
      const serviceName = name.trim().toLowerCase();
      const match = services.find(({ service }) => service.name === serviceName);
      if (!match) throw new Problem("UNKNOWN_SERVICE", `Unknown service “${name.slice(0, 60)}”.`, { hint: "" });
      return build(match, createRequestTool(getGenericAccess(match.service, request), match));
    },
  };
}

function createRequestTool(access: Access, { service: { name, api }, endpoints }: ServiceConfiguration): Tool {
  const host = URL.canParse(endpoints.api) ? new URL(endpoints.api).host : name;
  const tool: Tool<Input> = {
    name: "http_request",
    description:
      "Send one request to the API of a connected service when no other tool does the job. Known reads run without approval.",
    access,
    input: Input,
    examples: [],
    summary: (input) => formatRequest(input, host),
    destinations: () => [name],
    run: async ({ method, path, query, body }, { http, metadata }) => {
      const base = api?.genericBase?.(metadata) ?? "";
      const answer = await http.request({
        method,
        path: path.startsWith(`${base}/`) ? path : `${base}${path}`,
        reads: access === "read",
        ...(query ? { query } : {}),
        ...(body === undefined || method === "GET" ? {} : { body }),
        answer: z.unknown(),
      });
      const text = JSON.stringify(answer ?? null, null, 2);
      const isCut = text.length > MAX_RESPONSE_LENGTH;
      return {
        data: isCut ? { cut: true } : (answer ?? null),
        text: `\`\`\`json\n${isCut ? `${text.slice(0, MAX_RESPONSE_LENGTH)}\n…` : text}\n\`\`\``,
      };
    },
  };
  return tool as unknown as Tool;
}

/** Formats what is sent and where: method, path, host, the names of the query, and the body's fields. The card has all values. */
function formatRequest({ service, method, path, query, body }: Input, host: string): string {
  const [pathname = "", inline = ""] = path.split("?");
  const names = [...new Set([...new URLSearchParams(inline).keys(), ...Object.keys(query ?? {})])];
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  const bodyFields = isObject ? Object.keys(body).join(", ") : body === undefined ? "" : "a body";
  return [
    `${method} ${pathname} at ${service} (${host})`,
    ...(names.length > 0 ? [`query ${names.join(", ")}`] : []),
    ...(bodyFields !== "" && method !== "GET" ? [`sends ${bodyFields}`] : []),
  ].join("; ");
}
