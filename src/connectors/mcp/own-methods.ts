import type { CallToolResult, Client, Tool as ServerTool } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";

/** Maximum number of resources, templates and prompts that a list shows, and of messages of a prompt. */
const MAX_ROWS = 200;

/** Time limit in ms for an answer. */
const TIMEOUT_MS = 60_000;

/** Time limit in ms for listing tools. */
const LIST_TIMEOUT_MS = 20_000;

type Options = { signal?: AbortSignal };
type Input = Record<string, unknown>;
type Method = { tool: ServerTool; call(client: Client, input: Input, options: Options): Promise<CallToolResult> };

/** A server's resources and prompts as tools, which a model or a user can list and read. */
const RESOURCES: Method[] = [
  {
    tool: define("resources/list", "List the resources of this server, with the URI of each, to read them."),
    call: listResources,
  },
  {
    tool: define("resources/read", "Read a resource of this server.", { uri: "URI of the resource, from the list." }, [
      "uri",
    ]),
    call: async (client, { uri }, options) => {
      const { contents } = await client.readResource({ uri: String(uri) }, getLimits(options));
      return { content: contents.map((resource) => ({ type: "resource", resource })) as CallToolResult["content"] };
    },
  },
];

const PROMPTS: Method[] = [
  {
    tool: define("prompts/list", "List the prompts that this server offers to its users, with their arguments."),
    call: listPrompts,
  },
  {
    tool: define(
      "prompts/get",
      "Get the text of a prompt that this server offers, if the user asks for that prompt.",
      { name: "Name of the prompt, from the list.", arguments: 'Arguments of the prompt, as JSON: {"team": "KAY"}.' },
      ["name"],
    ),
    call: getPrompt,
  },
];

const METHODS = new Map([...RESOURCES, ...PROMPTS].map((method) => [method.tool.name, method]));

/** Lists a server's tools, including those for its resources and prompts. */
export async function listAllTools(client: Client, signal: AbortSignal | undefined): Promise<ServerTool[]> {
  const limits = { timeout: LIST_TIMEOUT_MS, maxTotalTimeout: LIST_TIMEOUT_MS, ...(signal ? { signal } : {}) };
  try {
    const { tools } = await client.listTools(undefined, { cacheMode: "bypass", ...limits });
    return [...tools, ...listOwnMethods(client)];
  } catch (error) {
    if ((error as { code?: unknown }).code === METHOD_NOT_FOUND_CODE) return listOwnMethods(client);
    throw error;
  }
}

/** Error code of a server without tools (JSON-RPC 2.0, section 5.1). */
const METHOD_NOT_FOUND_CODE = -32_601;

/** Adds tools for a server's resources and prompts. They replace a server's tool of the same name. */
function listOwnMethods(client: Client): ServerTool[] {
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  return [...(resources ? RESOURCES : []), ...(prompts ? PROMPTS : [])].map(({ tool }) => tool);
}

/** Returns the call for a name of {@link listOwnMethods}; undefined for a tool of the server. */
export function findOwnMethod(name: string): Method["call"] | undefined {
  return METHODS.get(name)?.call;
}

function define(
  name: string,
  description: string,
  fields: Record<string, string> = {},
  required: string[] = [],
): ServerTool {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([field, text]) => [field, { type: "string", description: text }]),
  );
  const inputSchema = { type: "object" as const, properties, ...(required.length > 0 ? { required } : {}) };
  return { name, description, inputSchema, annotations: { readOnlyHint: true } };
}

function getLimits({ signal }: Options) {
  return { timeout: TIMEOUT_MS, maxTotalTimeout: TIMEOUT_MS, ...(signal ? { signal } : {}) };
}

async function listResources(client: Client, _: Input, options: Options): Promise<CallToolResult> {
  const { resources } = await client.listResources(undefined, getLimits(options));
  // Servers without templates may not know the method.
  const { resourceTemplates } = await client
    .listResourceTemplates(undefined, getLimits(options))
    .catch(() => ({ resourceTemplates: [] }));
  const rows = [
    ...resources.map(({ uri, name, title, description, mimeType }) =>
      formatRow(uri, [title ?? name, mimeType, description]),
    ),
    ...resourceTemplates.map(({ uriTemplate, name, title, description }) =>
      formatRow(uriTemplate, [title ?? name, "a template", description]),
    ),
  ];
  const data = resources
    .slice(0, MAX_ROWS)
    .map(({ uri, name, title }) => ({ uri, title: cleanLine(title ?? name, 120) }));
  return toRows(rows, { resources: data });
}

async function listPrompts(client: Client, _: Input, options: Options): Promise<CallToolResult> {
  const { prompts } = await client.listPrompts(undefined, getLimits(options));
  const rows = prompts.map(({ name, title, description, arguments: fields = [] }) => {
    const parameters = fields.slice(0, MAX_ROWS).map((field) => `${field.name}${field.required ? "" : "?"}`);
    return formatRow(name, [title, parameters.length > 0 ? `arguments: ${parameters.join(", ")}` : "", description]);
  });
  const data = prompts.slice(0, MAX_ROWS).map(({ name, title, description, arguments: fields = [] }) => ({
    name,
    description: cleanLine(description || title || "", 200),
    arguments: fields.slice(0, MAX_ARGUMENTS).map((field) => ({
      name: field.name,
      description: cleanLine(field.description ?? "", 200),
      required: field.required === true,
    })),
  }));
  return toRows(rows, { prompts: data });
}

/** Maximum number of arguments of a prompt in a list. */
const MAX_ARGUMENTS = 30;

async function getPrompt(client: Client, input: Input, options: Options): Promise<CallToolResult> {
  const { messages } = await client.getPrompt(
    { name: String(input.name), arguments: parseArguments(input.arguments) },
    getLimits(options),
  );
  return { content: messages.slice(0, MAX_ROWS).map(({ content }) => content) as CallToolResult["content"] };
}

/** @throws Problem INVALID_REQUEST for arguments that are not an object of texts */
function parseArguments(input: unknown): Record<string, string> {
  if (input === undefined || input === "") return {};
  try {
    const value: unknown = JSON.parse(String(input));
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, String(value)]));
  } catch {
    // Reported below.
  }
  throw new Problem("INVALID_REQUEST", "The arguments of a prompt must be a JSON object.", { hint: "" });
}

function formatRow(id: string, parts: (string | undefined)[]): string {
  const about = parts.map((part) => cleanLine(part ?? "", 200)).filter(Boolean);
  return `- \`${cleanLine(id, 400).replaceAll("`", "'")}\`${about.length > 0 ? `: ${about.join(" · ")}` : ""}`;
}

/** Formats a list as text, and as data for clients that complete its names. */
function toRows(rows: string[], structuredContent: Record<string, unknown>): CallToolResult {
  const overflow = rows.length > MAX_ROWS ? [`… and ${rows.length - MAX_ROWS} more.`] : [];
  const text = [...rows.slice(0, MAX_ROWS), ...overflow].join("\n") || "None.";
  return { content: [{ type: "text", text }], structuredContent };
}
