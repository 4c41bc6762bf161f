import { randomBytes } from "node:crypto";
import { configureServices } from "#connectors/catalogue";
import { createSandbox } from "#sandbox/sandbox";
import { createWorld, type World } from "./backend.ts";

/** A backend whose services are the sandbox's stand-ins, without a socket between them. */
export function createSandboxWorld(base: World) {
  const sandbox = createSandbox({ clock: base.clock, random: (bytes) => randomBytes(bytes) });
  const names = Object.keys(sandbox.clients);
  const origins: Record<string, string> = Object.fromEntries(
    names.map((name, index) => [name, `http://127.0.0.1:${7001 + index}`]),
  );
  const fetch = async (url: string, init?: RequestInit) => {
    const name = Object.keys(origins).find((name) => url.startsWith(origins[name] ?? " "));
    if (!name) throw new TypeError(`nothing listens at ${url}`);
    return sandbox.origins[name as keyof typeof sandbox.origins](new Request(url, init), "127.0.0.1");
  };
  const providers = Object.entries(sandbox.clients).map(([name, client]) => [
    name,
    { origin: origins[name] ?? "", client },
  ]);
  const services = configureServices({ clients: {}, sandbox: Object.fromEntries(providers) });
  const world = createWorld({ db: base.ports.db, node: base.ports.node, clock: base.clock, fetch, services });
  const control = async (provider: string, path: string, body: object) => {
    const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    return (await fetch(`${origins[provider]}/_sandbox/${path}`, init)).json() as Promise<Record<string, string>>;
  };
  const findProvider = (name: string) =>
    services.find(({ service }) => service.name === name)?.service.oauth.provider ?? name;
  return { world, control, findProvider };
}

export type SandboxWorld = ReturnType<typeof createSandboxWorld>;

/** Connects a service by a consent at its stand-in. */
export async function consent(
  { world, control, findProvider }: SandboxWorld,
  service: string,
  decision: "allow" | "deny",
  session_id?: string,
) {
  const response = (await world.call(`POST /connections/connect?service=${service}`, { body: { session_id } })).body;
  const { authorization_url, state } = response;
  const { redirect_url } = await control(findProvider(service), "consent", { authorization_url, decision });
  const { pathname, search } = new URL(String(redirect_url));
  const page = await world.call(`GET ${pathname}${search}`);
  return { session: String(response.session_id), page, status: await world.call(`GET /auth/status/${state}`) };
}
