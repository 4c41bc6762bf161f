import { callToolDirectly, createDirectCallId, findTool, toToolView } from "#agent/call-directly";
import type { EffectLog } from "#agent/effect";
import { chooseSite } from "#backend/connections/sites";
import { buildLocalTools } from "#backend/tools/toolbox";
import { configureServices } from "#connectors/catalogue";
import { createServiceHttp } from "#connectors/http/client";
import type { ServiceConfiguration } from "#connectors/service";
import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { ToolCallResponse, ToolView } from "#protocol/tools";

type Env = Record<string, string | undefined>;

/** A tool of this kay, and the variable whose token lets it run in this process. */
type LocalTool = { view: ToolView; variable: string; hasToken: boolean };

/** The tools of this kay without any backend: what they are, and running one at the real service with a token of the environment. */
export type LocalTools = {
  list(): ToolView[];
  /** @throws Problem NOT_FOUND with the nearest name */
  find(name: string): LocalTool;
  /** @throws Problem AUTH_REQUIRED without a token, or when the service refuses it */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolCallResponse>;
};

/**
 * Tools with tokens of the environment: `<SERVICE>_ACCESS_TOKEN`, and where a token opens several sites `<SERVICE>_SITE`. A cloud id of
 * Atlassian in `<SERVICE>_CLOUD_ID` spares the question which sites there are. Nothing is stored, and no token leaves for anywhere but its
 * service.
 */
export function createLocalTools({ env, fetch, clock }: { env: Env; fetch: Fetch; clock: Clock }): LocalTools {
  const services = configureServices({ clients: {} });
  const configurationOf = (name: string) => services.find(({ service }) => service.name === name);
  const opened = new Map<string, Promise<{ token: string; metadata: Record<string, unknown> }>>();
  const access = (name: string, rejected?: string) => {
    const configuration = configurationOf(name);
    if (!configuration) throw new Problem("UNKNOWN_SERVICE", `There is no service ${name}.`);
    if (rejected) throw refusedToken(configuration);
    const open = opened.get(name) ?? connection(configuration, { env, fetch, clock });
    opened.set(name, open);
    return open;
  };
  const noLog: EffectLog = {
    scope: createDirectCallId(),
    plan: async () => ({ state: "new" }),
    set: async () => true,
    settle: async () => {},
    refuse: async () => {},
  };
  const tools = buildLocalTools({
    services,
    fetch,
    clock,
    access: async (name, rejected) => access(name, rejected),
    effects: noLog,
  });
  return {
    list: () => tools.map(toToolView),
    find: (name) => {
      const tool = findTool(tools, name);
      const variable = getVariable(tool.service, "ACCESS_TOKEN");
      return { view: toToolView(tool), variable, hasToken: Boolean(env[variable]?.trim()) };
    },
    call: (name, input, signal) => callToolDirectly(findTool(tools, name), input, { id: createDirectCallId(), signal }),
  };
}

/** `google-calendar` and `ACCESS_TOKEN` are `GOOGLE_CALENDAR_ACCESS_TOKEN`. */
function getVariable(service: string, what: string): string {
  return `${service.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}_${what}`;
}

async function connection(
  configuration: ServiceConfiguration,
  { env, fetch, clock }: { env: Env; fetch: Fetch; clock: Clock },
): Promise<{ token: string; metadata: Record<string, unknown> }> {
  const { service, endpoints } = configuration;
  const token = env[getVariable(service.name, "ACCESS_TOKEN")]?.trim();
  if (!token) throw authRequired(service, `${service.title} authentication is required.`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw authRequired(service, `${getVariable(service.name, "ACCESS_TOKEN")} holds no token.`);
  const site = env[getVariable(service.name, "SITE")]?.trim() || null;
  const cloudId = env[getVariable(service.name, "CLOUD_ID")]?.trim();
  if (cloudId)
    return { token, metadata: { cloud_id: cloudId, url: site ?? `${endpoints.api}/ex/${service.name}/${cloudId}` } };
  const http = createServiceHttp({
    fetch,
    clock,
    endpoints,
    service,
    token: async () => token,
    onRejected: async () => {
      throw refusedToken(configuration);
    },
  });
  // A token that may not tell whose it is may still do what the tool needs.
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
    `The token opens several sites of ${service.title}, or not the one that is meant: ${names}.`,
    {
      hint: `Set ${getVariable(service.name, "SITE")} to one of them.`,
      details: { sites: choice.choices },
    },
  );
}

function refusedToken({ service }: ServiceConfiguration): Problem {
  const variable = getVariable(service.name, "ACCESS_TOKEN");
  return authRequired(service, `${service.title} does not accept the token of ${variable}.`);
}

function authRequired(service: { name: string }, message: string): Problem {
  return new Problem("AUTH_REQUIRED", message, {
    hint: `Set ${getVariable(service.name, "ACCESS_TOKEN")} to a valid token, or unset it and run \`kay connect ${service.name}\`.`,
    details: { integrations: [service.name] },
  });
}
