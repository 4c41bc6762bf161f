import { callToolDirectly, createDirectCallId, findTool, toToolView } from "#agent/calls/call-directly";
import type { EffectLog } from "#agent/calls/effect";
import { chooseSite } from "#backend/connections/consent/sites";
import { toServiceView } from "#backend/connections/services/service-views";
import { buildLocalTools } from "#backend/tools/toolbox";
import type { SettingKey } from "#client/settings/table";
import { configureServices } from "#connectors/catalogue";
import { createServiceHttp } from "#connectors/http/client";
import type { ServiceConfiguration } from "#connectors/service";
import type { Clock, Fetch } from "#net/ports";
import { EMBEDDED_PORT } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { ServiceView, ToolCallResponse, ToolView } from "#protocol/tools";
import { readConfiguredClients, readOwnAddresses } from "./oauth-clients.ts";

type Env = Record<string, string | undefined>;

type LocalToolPorts = { env: Env; fetch: Fetch; clock: Clock; setting?(key: SettingKey): string | undefined };

/** A tool, and the environment variable whose token lets it run in this process. */
type LocalTool = { view: ToolView; variable: string; hasToken: boolean };

/** `timeZone` is the user's, an IANA name. */
type CallOptions = { signal: AbortSignal; timeZone?: string | undefined };

/** Tools that run without a backend, at the real service, with tokens from the environment. */
export type LocalTools = {
  /** Every built-in service, including those without tools, as the local backend describes it before a sign-in. */
  services(): ServiceView[];
  list(): ToolView[];
  /** @throws Problem NOT_FOUND that suggests the closest name */
  find(name: string): LocalTool;
  /** @throws Problem AUTH_REQUIRED without a token, or if the service rejects it */
  call(name: string, input: Record<string, unknown>, options: CallOptions): Promise<ToolCallResponse>;
};

/**
 * Creates the tools from `<SERVICE>_ACCESS_TOKEN`, and `<SERVICE>_SITE` if a token reaches several sites. For
 * Atlassian, `<SERVICE>_CLOUD_ID` saves the lookup of the sites. Stores nothing, and sends a token only to its service.
 */
export function createLocalTools({ env, fetch, clock, setting }: LocalToolPorts): LocalTools {
  const { addresses = {} } = readOwnAddresses(env, setting ?? (() => undefined));
  const services = configureServices({ clients: {}, addresses });
  const findConfiguration = (name: string) => services.find(({ service }) => service.name === name);
  const connections = new Map<string, Promise<{ token: string; metadata: Record<string, unknown> }>>();
  const getAccess = (name: string, rejected?: string) => {
    const configuration = findConfiguration(name);
    if (!configuration) throw new Problem("UNKNOWN_SERVICE", `Unknown service ${name}.`);
    if (rejected) throw rejectedTokenProblem(configuration);
    const open = connections.get(name) ?? openConnection(configuration, { env, fetch, clock });
    connections.set(name, open);
    return open;
  };
  const noLog: EffectLog = {
    scope: createDirectCallId(),
    plan: async () => ({ state: "new" }),
    set: async () => true,
    settle: async () => {},
    refuse: async () => {},
    resume: async () => false,
    findTask: async () => undefined,
    keepTask: async () => {},
  };
  const access = async (name: string, rejected?: string) => getAccess(name, rejected);
  const buildTools = (timeZone?: string) =>
    buildLocalTools({ services, fetch, clock, access, effects: noLog, ...(timeZone ? { timeZone } : {}) });
  const tools = buildTools();
  return {
    services: () => describeLocalServices(env, setting),
    list: () => tools.map(toToolView),
    find: (name) => {
      const tool = findTool(tools, name);
      const variable = buildVariableName(tool.service, "ACCESS_TOKEN");
      return { view: toToolView(tool), variable, hasToken: Boolean(env[variable]?.trim()) };
    },
    call: (name, input, { signal, timeZone }) =>
      callToolDirectly(findTool(buildTools(timeZone), name), input, { id: createDirectCallId(), signal }),
  };
}

function describeLocalServices(
  env: Env,
  setting: (key: SettingKey) => string | undefined = () => undefined,
): ServiceView[] {
  const local = { publicUrl: `http://127.0.0.1:${EMBEDDED_PORT}` };
  const services = configureServices(readConfiguredClients(env, (key) => setting(key as SettingKey)));
  return services.map((configuration) => ({ ...toServiceView(local, configuration), state: "not_connected" }));
}

/** Returns a variable name: `google-calendar` and `ACCESS_TOKEN` give `GOOGLE_CALENDAR_ACCESS_TOKEN`. */
function buildVariableName(service: string, field: string): string {
  return `${service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_${field}`;
}

async function openConnection(
  configuration: ServiceConfiguration,
  { env, fetch, clock }: { env: Env; fetch: Fetch; clock: Clock },
): Promise<{ token: string; metadata: Record<string, unknown> }> {
  const { service, endpoints } = configuration;
  const token = env[buildVariableName(service.name, "ACCESS_TOKEN")]?.trim();
  if (!token) throw authRequiredProblem(service, `${service.title} authentication is required.`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw authRequiredProblem(service, `${buildVariableName(service.name, "ACCESS_TOKEN")} is not a valid token.`);
  const site = env[buildVariableName(service.name, "SITE")]?.trim() || null;
  const cloudId = env[buildVariableName(service.name, "CLOUD_ID")]?.trim();
  if (cloudId)
    return { token, metadata: { cloud_id: cloudId, url: site ?? `${endpoints.api}/ex/${service.name}/${cloudId}` } };
  const http = createServiceHttp({
    fetch,
    clock,
    endpoints,
    service,
    token: async () => token,
    onRejected: async () => {
      throw rejectedTokenProblem(configuration);
    },
  });
  // A token without the scope to read its own account may still have the scope that the tool needs.
  const identity = await service.identify(http).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "SERVICE_FAILED" && Array.isArray(error.details.scopes)) return null;
    throw error;
  });
  if (!identity) return { token, metadata: {} };
  const choice = chooseSite(identity, site, undefined);
  if ("metadata" in choice) return { token, metadata: choice.metadata };
  const names = choice.choices.map(({ name }) => name).join(", ");
  throw new Problem(
    "SITE_REQUIRED",
    `The token reaches several ${service.title} sites, or not the one you selected: ${names}.`,
    {
      hint: `Set ${buildVariableName(service.name, "SITE")} to one of these names.`,
      details: { sites: choice.choices },
    },
  );
}

function rejectedTokenProblem({ service }: ServiceConfiguration): Problem {
  const variable = buildVariableName(service.name, "ACCESS_TOKEN");
  return authRequiredProblem(service, `${service.title} rejected the token in ${variable}.`);
}

function authRequiredProblem(service: { name: string }, message: string): Problem {
  return new Problem("AUTH_REQUIRED", message, {
    hint: `Set ${buildVariableName(service.name, "ACCESS_TOKEN")} to a valid token, or unset it and run \`kay connect ${service.name}\`.`,
    details: { integrations: [service.name] },
  });
}
