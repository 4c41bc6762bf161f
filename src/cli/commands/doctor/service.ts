import { EMBEDDED_PORT } from "#protocol/embedded";
import { Problem } from "#protocol/errors";
import type { KnownService } from "#protocol/known-services";
import { quoteShellWord } from "#protocol/shell";
import { getBaseName } from "#protocol/tool-names";
import type { ServiceView, ToolView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { formatAccount, formatSite } from "../../backend/account-labels.ts";
import { listKnownServices } from "../../backend/known-services.ts";
import { unknownServiceProblem } from "../connections.ts";
import { type Check, type Finding, fail, ok, skip, warn } from "./check.ts";
import { BlockedCheck, type CheckContext } from "./context.ts";
import { inspectServer, withPatience } from "./mcp.ts";

/** Checks of one service, in the order in which they are needed. */
export function createServiceChecks(argument: string): Check[] {
  const name = argument.toLowerCase();
  const findService = (facts: CheckContext) => getService(facts, name);
  return [
    { id: "service", title: "Service", look: async (facts) => findNamed(facts, name) },
    { id: "service.address", title: "Address", look: async (facts) => checkAddress(facts, name) },
    {
      id: "service.client",
      title: "OAuth client",
      look: async (facts) => checkClient(facts, await findService(facts)),
    },
    {
      id: "service.consent",
      title: "Consent page",
      look: async (facts) => checkConsent(facts, await findService(facts)),
    },
    { id: "service.account", title: "Account", look: async (facts) => checkAccount(await findService(facts)) },
    { id: "service.scopes", title: "Scopes", look: async (facts) => checkScopes(await findService(facts)) },
    { id: "service.server", title: "MCP server", look: async (facts) => checkServer(facts, await findService(facts)) },
    {
      id: "service.read",
      title: "Read",
      look: async (facts) => testReadTool(facts, await requireConnected(facts, name)),
    },
  ];
}

/** Returns the service as the backend reports it. A basic backend reports services only by their connections. */
async function find(facts: CheckContext, name: string): Promise<{ service?: ServiceView; names: string[] }> {
  const services = await facts.services();
  if (services)
    return {
      service: services.find((service) => service.name === name),
      names: services.map((service) => service.name),
    };
  const { connections } = await (await facts.signedIn()).api.connections({ signal: facts.signal });
  const connection = Object.hasOwn(connections, name) ? connections[name] : undefined;
  const state = connection?.connected ? "connected" : "not_connected";
  return { names: Object.keys(connections), ...(connection ? { service: { ...connection, name, state } } : {}) };
}

async function findNamed(facts: CheckContext, name: string) {
  const server = await findNewServer(facts, name);
  if (server) return ok(`${server.title}, an MCP server that kay knows but you have not added.`);
  if (await isSignedOut(facts)) {
    const connect = `Run \`kay connect ${quoteShellWord(name)}\`.`;
    return skip("Not signed in, so it cannot be checked.", connect);
  }
  const { service, names } = await find(facts, name);
  if (!service)
    return fail(unknownServiceProblem(name, names).message, "Run `kay services` to see what can be connected.");
  const suffix = service.target === "sandbox" ? ", in the sandbox" : "";
  return ok(`${toLine(service.title ?? service.name)}${suffix}.`);
}

/** Returns the known server with this name, unless a service with the name exists. */
async function findNewServer(facts: CheckContext, name: string): Promise<KnownService | undefined> {
  const base = getBaseName(name);
  const server = (await import("#protocol/known-services")).findKnownService(base);
  if (!server || (await listKnownServices(facts.kay)).some((service) => service.name === base)) return undefined;
  return !(await isSignedOut(facts)) && (await find(facts, name)).service ? undefined : server;
}

/** Another check inspects an added server with its sign-in. */
async function checkAddress(facts: CheckContext, name: string): Promise<Finding | null> {
  const server = await findNewServer(facts, name);
  return server ? await inspectAddress(facts, server) : null;
}

async function isSignedOut(facts: CheckContext): Promise<boolean> {
  const link = await facts.connect();
  const { token, refresh_token } = await facts.signIn();
  return !link.usesEnvironmentToken && !token && !refresh_token;
}

async function getService(facts: CheckContext, name: string): Promise<ServiceView> {
  const { service } = await find(facts, name);
  if (service) return service;
  throw new BlockedCheck((await findNewServer(facts, name)) ? "It is not added yet." : "Unknown service.");
}

async function requireConnected(facts: CheckContext, name: string): Promise<ServiceView> {
  const service = await getService(facts, name);
  if (!service.connected) throw new BlockedCheck("It is not connected.");
  return service;
}

async function checkClient(facts: CheckContext, { state, target, client: clientSource, sign_in }: ServiceView) {
  if (!clientSource)
    return skip(
      sign_in === "none"
        ? "Not needed: it requires no sign-in."
        : sign_in
          ? "Not needed: you paste a key or a token."
          : "This backend does not report it.",
    );
  const redirect = toLine(clientSource.redirect_uri);
  const { embedded } = await facts.link();
  if (state === "not_configured") {
    const [setting = ""] = clientSource.settings;
    const set =
      embedded && setting
        ? `\`kay config set ${toLine(setting)} <id>\``
        : `${toLine(clientSource.variables.join(" and "))}`;
    return fail(
      "The backend has no OAuth client for it.",
      `Register one with the redirect URL ${redirect}, then set ${set}.`,
    );
  }
  if (target === "sandbox") return ok("The sandbox's own. You need no account.");
  if (embedded && URL.parse(clientSource.redirect_uri)?.port !== String(EMBEDDED_PORT)) {
    const fix = `Stop the program on port ${EMBEDDED_PORT}, run \`kay serve --stop\`, then run any command.`;
    return warn(
      `Your own, but its redirect URL is ${redirect} now, because another program uses port ${EMBEDDED_PORT}.`,
      fix,
    );
  }
  return ok(`Your own. Its redirect URL ${redirect} must be registered.`);
}

/** Only the route to the consent page is tested, because the browser opens it; no request is sent. */
async function checkConsent({ machine, signal }: CheckContext, { client: clientSource }: ServiceView) {
  const url = URL.parse(clientSource?.authorize_url ?? "");
  if (!url || !/^https?:$/.test(url.protocol)) return skip("The backend does not say where it is.");
  const failedStep = (await machine.walk(url.href, signal)).find((leg) => leg.state === "failed");
  if (!failedStep) return ok(`${toLine(url.host)} can be reached.`);
  return warn(`${toLine(url.host)}: ${failedStep.message}`, failedStep.fix ?? "A browser may use another route.");
}

function checkAccount(service: ServiceView) {
  const { connected: isConnected, reason, state, name } = service;
  const connect = `Run \`kay connect ${quoteShellWord(toLine(name))}\`.`;
  if (!isConnected && reason) return fail(`The connection was lost: ${toLine(reason)}`, connect);
  if (!isConnected)
    return state === "not_configured" ? skip("It cannot be connected yet.") : warn("It is not connected.", connect);
  const site = formatSite(service);
  return ok(`Connected as ${formatAccount(service) || "an unnamed account"}${site ? `, at ${site}` : ""}.`);
}

async function checkServer(facts: CheckContext, service: ServiceView) {
  return service.mcp ? await inspectServer(facts, service) : null;
}

function checkScopes({ connected: isConnected, scopes, name }: ServiceView) {
  if (!isConnected) throw new BlockedCheck("It is not connected.");
  if (!scopes || scopes.granted.length === 0) return skip("The provider did not report what it granted.");
  const missing = scopes.wanted.filter((scope) => !scopes.granted.includes(scope));
  if (missing.length === 0) return ok(`All ${scopes.wanted.length} requested scopes are granted.`);
  const fix = `Run \`kay connect ${quoteShellWord(toLine(name))}\` and allow everything.`;
  return warn(`Not granted: ${toLine(missing.join(" "))}.`, fix);
}

/** Tests the service's token with a read that needs no input. */
async function testReadTool(facts: CheckContext, service: ServiceView): Promise<Finding> {
  const { api } = await facts.signedIn();
  const { signal } = facts;
  const offered = await api.tools({ service: service.name, signal });
  if (!offered) return skip("This backend does not list its tools.");
  const [tool] = offered.tools.filter(isHarmless).sort((a, b) => rank(a) - rank(b));
  if (!tool) return skip("It has no read-only tool that works without input.");
  const began = facts.kay.clock.now();
  try {
    await api.callTool(tool.name, {}, { signal });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const connect = `Run \`kay connect ${quoteShellWord(toLine(service.name))}\`.`;
    return fail(`${toLine(tool.name)}: ${error.message}`, error.code === "AUTH_REQUIRED" ? connect : error.hint);
  }
  return ok(`${toLine(tool.name)} worked, in ${facts.kay.clock.now() - began} ms.`);
}

function isHarmless({ access, input_schema: { required } }: ToolView): boolean {
  return access === "read" && !(Array.isArray(required) && required.length > 0);
}

/** Prefers short lists, because searches and counts may take long. */
function rank({ name }: ToolView): number {
  return /list/.test(name) ? 0 : /search|find/.test(name) ? 2 : 1;
}

/**
 * Checks whether a known server still answers: the route from this machine, then the backend's inspection. Adds
 * nothing.
 */
async function inspectAddress(facts: CheckContext, { name, url, docs, client }: KnownService): Promise<Finding> {
  const see = `See ${docs}.`;
  const failedStep = (await facts.machine.walk(url, facts.signal)).find(({ state }) => state === "failed");
  if (failedStep) return fail(`${new URL(url).host}: ${failedStep.message}`, failedStep.fix ?? see);
  const { api } = await facts.connect();
  const look = async (signal: AbortSignal) => {
    const { service } = await api.describeService({ mcp: { url, name }, dry_run: true }, { signal });
    const { tools, sign_in, base_url } = service;
    const hint = client === "client-id" && sign_in === "bearer" ? OWN_CLIENT : SIGN_INS[sign_in];
    return ok(`${toLine(base_url)} answers, ${sign_in === "none" ? `with ${tools.length} tools` : hint}.`);
  };
  try {
    const answer = await withPatience(facts, look);
    return answer ?? fail(`${url} did not answer in time.`, see);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // A basic backend cannot add servers, so only the route is tested.
    if (error.code === "NOT_FOUND") return ok(`${new URL(url).host} can be reached.`);
    return fail(error.message, see);
  }
}

const OWN_CLIENT = "and asks for consent with an OAuth client that you register";
const SIGN_INS: Record<string, string> = {
  oauth2: "and asks for consent in the browser",
  bearer: "and asks for an access token, which you paste",
};
