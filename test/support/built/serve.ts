import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { signAccessToken } from "#backend/accounts/access-tokens";
import { loadBackendKeys } from "#backend/store/keys";
import type { Home } from "./home.ts";
import type { Running } from "./run.ts";

/** A backend started as a user would start it. */
export type Served = { url: string; sandbox: Record<string, string>; running: Running };

/** Runs `kay serve` in a home until the test ends, with an existing database. */
export async function serve(home: Home, args: string[] = [], env: Record<string, string> = {}): Promise<Served> {
  if (!env.DATABASE_URL && !args.includes("--data-dir")) home.hasDatabase(join(home.folder, "data/kay/serve"));
  const running = home.start(
    ["serve", ...(args.includes("--port") ? [] : ["--port", "0"]), "--sandbox", "--json", ...args],
    { env },
  );
  await running.says(/^\}\n/m, 60_000);
  const { url, sandbox } = JSON.parse(running.stdout());
  if (!url) throw new Error(`kay serve did not start: ${running.stderr()}`);
  return { url, sandbox, running };
}

/** Connects a service of the sandbox without a browser: begins, consents, and finishes in another process. */
export async function connect(home: Home, service: string, env: Record<string, string> = {}): Promise<void> {
  const outcome = await home.run(["connect", service, "--no-wait", "--json"], { env, limitMs: 60_000 });
  const { authorization_url, state } = JSON.parse(outcome.stdout);
  await consent(authorization_url);
  const finished = await home.run(["connect", service, "--poll", state], { env });
  if (finished.exit !== 0) throw new Error(`not connected: ${finished.stderr}`);
}

/** The result of `kay connections` once Jira is connected. */
export const CONNECTED = { exit: 0, stdout: expect.stringMatching(/^jira\tconnected\tDana Demo/), stderr: "" };

/** Consents as the sandbox's demo user, up to the backend's page. Returns the address with the code. */
export async function consent(authorizationUrl: string): Promise<URL> {
  const body = JSON.stringify({ authorization_url: authorizationUrl, decision: "allow" });
  const answer = await fetch(`${new URL(authorizationUrl).origin}/_sandbox/consent`, { method: "POST", body });
  const { redirect_url } = (await answer.json()) as { redirect_url: string };
  await (await fetch(redirect_url)).text();
  return new URL(redirect_url);
}

/**
 * Replaces the stored access token by one of the same sign-in that expired a minute ago, as if half an hour had passed.
 */
export async function letExpire(home: Home, origin: string, dataFolder: string): Promise<void> {
  const signIn = await home.signedIn(origin);
  const { sub, sid, aud } = JSON.parse(Buffer.from(signIn.token?.split(".")[1] ?? "", "base64url").toString());
  const keys = await loadBackendKeys({ folder: dataFolder });
  const issuedAt = new Date(Date.now() - 31 * 60_000);
  const ports = aud === "embedded" ? { keys, publicUrl: origin, localSecret: "" } : { keys, publicUrl: aud };
  const token = await signAccessToken(ports, { installationId: sub, familyId: sid, sequence: 0, issuedAt });
  await home.signIn(origin, { ...signIn, token });
}

/** What a proxy does with an answer of the real backend: pass it on or hold it. */
type Meet = (route: string) => Promise<"pass" | "keep">;

/** A gateway in front of a backend that records the traffic and may hold an answer. */
export async function gateway(
  target: string,
  meet: Meet = async () => "pass",
): Promise<{ url: string; seen: string[] }> {
  const lines: string[] = [];
  const server = createServer(async (request, response) => {
    const route = `${request.method} ${request.url?.split("?")[0]}`;
    lines.push(route);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: _connection, ...headers } = request.headers as Record<string, string>;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const answer = await fetch(target + request.url, { method: request.method, headers, body });
    const content = Buffer.from(await answer.arrayBuffer());
    if ((await meet(route)) === "keep") return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen: lines };
}
