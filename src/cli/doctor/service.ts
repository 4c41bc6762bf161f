import { shellWord } from "#protocol/shell";
import type { ServiceView } from "#protocol/tools";
import { line } from "#ui/words";
import { unknownService } from "../commands/connections.ts";
import { accountOf, siteOf } from "../people.ts";
import { Blocked, type Check, failed, fine, skipped, warning } from "./check.ts";
import type { Facts } from "./facts.ts";
import { lookAt } from "./mcp.ts";
import { harmlessRead } from "./service-read.ts";

/** What can be rehearsed of one service, in the order in which it is needed. */
export function serviceChecks(typed: string): Check[] {
  const name = typed.toLowerCase();
  const found = (facts: Facts) => serviceOf(facts, name);
  return [
    { id: "service", title: "Service", look: async (facts) => known(facts, name) },
    { id: "service.client", title: "OAuth client", look: async (facts) => client(facts, await found(facts)) },
    { id: "service.consent", title: "Consent page", look: async (facts) => consent(facts, await found(facts)) },
    { id: "service.account", title: "Account", look: async (facts) => account(await found(facts)) },
    { id: "service.scopes", title: "Scopes", look: async (facts) => scopes(await found(facts)) },
    { id: "service.server", title: "MCP server", look: async (facts) => server(facts, await found(facts)) },
    { id: "service.read", title: "Read", look: async (facts) => harmlessRead(facts, await connected(facts, name)) },
  ];
}

/** The service as the backend tells it. A backend that has only what the guide has names services by their connections. */
async function find(facts: Facts, name: string): Promise<{ service?: ServiceView; names: string[] }> {
  const services = await facts.services();
  if (services)
    return { service: services.find((each) => each.name === name), names: services.map((each) => each.name) };
  const { connections } = await (await facts.signedIn()).api.connections({ signal: facts.signal });
  const connection = Object.hasOwn(connections, name) ? connections[name] : undefined;
  const state = connection?.connected ? "connected" : "not_connected";
  return { names: Object.keys(connections), ...(connection ? { service: { ...connection, name, state } } : {}) };
}

async function known(facts: Facts, name: string) {
  if (await isSignedOut(facts)) {
    const connect = `Run \`kay connect ${shellWord(name)}\`.`;
    return skipped("Nobody is signed in, so nothing of it can be looked at.", connect);
  }
  const { service, names } = await find(facts, name);
  if (!service) return failed(unknownService(name, names).message, "Run `kay services` to see what can be connected.");
  const where = service.target === "sandbox" ? ", a stand-in of the sandbox" : "";
  return fine(`${line(service.title ?? service.name)}${where}.`);
}

async function isSignedOut(facts: Facts): Promise<boolean> {
  const link = await facts.reached();
  const { token, refresh_token } = await facts.signIn();
  return !link.byToken && !token && !refresh_token;
}

async function serviceOf(facts: Facts, name: string): Promise<ServiceView> {
  const { service } = await find(facts, name);
  if (!service) throw new Blocked("There is no such service.");
  return service;
}

async function connected(facts: Facts, name: string): Promise<ServiceView> {
  const service = await serviceOf(facts, name);
  if (!service.connected) throw new Blocked("It is not connected.");
  return service;
}

/** Where kay's own backend listens if it can: what is registered with an own client. */
const USUAL_PORT = "4040";

async function client(facts: Facts, { state, target, client: place, sign_in }: ServiceView) {
  if (!place)
    return skipped(
      sign_in === "none"
        ? "None is needed: it takes no sign-in."
        : sign_in
          ? "None is needed: what opens it is pasted."
          : "This backend does not tell.",
    );
  const redirect = line(place.redirect_uri);
  const { embedded } = await facts.link();
  if (state === "not_configured") {
    const [setting = ""] = place.settings;
    const set =
      embedded && setting ? `\`kay config set ${line(setting)} <id>\`` : `${line(place.variables.join(" and "))}`;
    return failed(
      "The backend has no OAuth client for it.",
      `Register one with the redirect address ${redirect}, then set ${set}.`,
    );
  }
  if (target === "sandbox") return fine("The sandbox's own; no account anywhere is needed.");
  if (embedded && URL.parse(place.redirect_uri)?.port !== USUAL_PORT) {
    const fix = `End what listens on port ${USUAL_PORT}, then run any command again once kay's own backend was idle.`;
    return warning(
      `Your own, but its redirect address is ${redirect} at the moment, since another program has port ${USUAL_PORT}.`,
      fix,
    );
  }
  return fine(`Your own; its redirect address ${redirect} must be registered with it.`);
}

/** The page is where a person's browser goes: only the way to it is tried, and nothing is asked there. */
async function consent({ machine, signal }: Facts, { client: place }: ServiceView) {
  const url = URL.parse(place?.authorize_url ?? "");
  if (!url || !/^https?:$/.test(url.protocol)) return skipped("The backend does not say where it is.");
  const broken = (await machine.walk(url.href, signal)).find((leg) => leg.state === "failed");
  if (!broken) return fine(`${line(url.host)} can be reached.`);
  return warning(
    `${line(url.host)}: ${broken.says}`,
    broken.fix ?? "A browser may still get there by a way of its own.",
  );
}

function account(service: ServiceView) {
  const { connected: isConnected, reason, state, name } = service;
  const connect = `Run \`kay connect ${shellWord(line(name))}\`.`;
  if (!isConnected && reason) return failed(`The connection was lost: ${line(reason)}`, connect);
  if (!isConnected)
    return state === "not_configured"
      ? skipped("It cannot be connected yet.")
      : warning("It is not connected.", connect);
  const site = siteOf(service);
  return fine(`Connected as ${accountOf(service) || "an account without a name"}${site ? `, at ${site}` : ""}.`);
}

async function server(facts: Facts, service: ServiceView) {
  return service.mcp ? await lookAt(facts, service) : null;
}

function scopes({ connected: isConnected, scopes: asked, name }: ServiceView) {
  if (!isConnected) throw new Blocked("It is not connected.");
  if (!asked || asked.granted.length === 0) return skipped("The provider did not say what it granted.");
  const missing = asked.wanted.filter((scope) => !asked.granted.includes(scope));
  if (missing.length === 0) return fine(`All ${asked.wanted.length} that kay asks for are granted.`);
  const fix = `Run \`kay connect ${shellWord(line(name))}\` and allow all of it.`;
  return warning(`Not granted: ${line(missing.join(" "))}.`, fix);
}
