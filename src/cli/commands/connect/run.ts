import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { BackendHandle } from "../../backend/handle.ts";
import { formatProfileFlag } from "../../backend/profile-flag.ts";
import { type ConnectResult, connectConcurrently } from "../../consent/concurrent.ts";
import {
  beginConnection,
  type ConnectedService,
  connectService,
  isConcluded,
  showLink,
} from "../../consent/connection.ts";
import { explainTunnel } from "../../consent/open-links.ts";
import { finishPendingConnection, savePendingConnection } from "../../consent/pending-connections.ts";
import type { Kay } from "../../kay.ts";
import { canPrompt } from "../../prompt/question.ts";
import type { ClientOptions } from "../services/client-options.ts";
import { chooseServices, missingServiceProblem, toAccountName } from "./choose-services.ts";
import { addKnownService, approveKnownService, isKnownServer } from "./known.ts";

export type ConnectOptions = { site?: string; as?: string; wait: boolean; poll?: string } & ClientOptions;

/** Runs `kay connect`: connects each service, only starts one (`--no-wait`), or finishes one (`--poll`). */
export async function runConnect(kay: Kay, services: string[], options: ConnectOptions): Promise<void> {
  const names = services.length > 0 ? services : await chooseServices(kay);
  const requested = options.as === undefined ? names : [toAccountName(names, options.as)];
  const [service = "", ...rest] = requested;
  if (requested.includes("")) throw await missingServiceProblem(kay);
  const single = options.poll !== undefined || !options.wait;
  if (single && rest.length > 0) throw new Problem("USAGE", "--no-wait and --poll accept only one service.");
  const link = await kay.openBackend();
  if (link.usesEnvironmentToken) {
    throw new Problem("USAGE", "Cannot connect services while KAY_TOKEN is set.", {
      hint: "Unset KAY_TOKEN and try again.",
    });
  }
  if (options.poll !== undefined) {
    report(kay, [await finishPendingConnection(kay, link, service, options.poll)]);
    return await approveKnown(kay, link, [service]);
  }
  const uniqueNames = [...new Set(requested)];
  if (options.clientId !== undefined && uniqueNames.length > 1)
    throw new Problem("USAGE", "--client-id accepts only one service.");
  const results = new Map<string, ConnectedService>();
  for (const name of uniqueNames) {
    const connected = await addKnownService(kay, link, name.toLowerCase(), options);
    if (connected) results.set(connected.service, connected);
  }
  if (!options.wait && results.size === 0) return beginOnly(kay, link, service, options);
  await connectAll(kay, link, { names: uniqueNames, results }, options);
}

/** The tools of a known server are listed after its consent, and approved then. */
async function approveKnown(kay: Kay, link: BackendHandle, services: string[]): Promise<void> {
  for (const name of services) if (await isKnownServer(kay, name)) await approveKnownService(kay, link, name);
}

/**
 * Connects services concurrently once the user is signed in. The first connection of an installation creates the
 * sign-in, so it runs before the others. A failure does not undo the other connections.
 */
async function connectAll(
  kay: Kay,
  link: BackendHandle,
  { names, results }: { names: string[]; results: Map<string, ConnectedService> },
  options: ConnectOptions,
): Promise<void> {
  if (!kay.flags.json) report(kay, [...results.values()]);
  const services = names.filter((name) => !results.has(name.toLowerCase()));
  const failures = new Map<string, Problem>();
  const take = (result: ConnectedService) => {
    results.set(result.service, result);
    if (!kay.flags.json) report(kay, [result]);
  };
  const tryConnect = async (service: string, work: () => Promise<ConnectedService>) => {
    const result = await work().catch((error: unknown) => {
      if (!(error instanceof Problem) || kay.signal.aborted) throw error;
      failures.set(service, error);
    });
    if (result) take(result);
  };
  const { signIn } = await link.credentials.read(link.origin);
  const alone = services.length === 1 || !(signIn.token || signIn.refresh_token) ? services.slice(0, 1) : [];
  for (const service of alone) await tryConnect(service, () => connectOne(kay, link, service, options));
  const rest = failures.size > 0 ? [] : services.slice(alone.length);
  const [last = ""] = rest;
  if (rest.length === 1) await tryConnect(last, () => connectOne(kay, link, last, options));
  if (rest.length > 1) await connectOthers(kay, link, rest, { options, take, tryConnect, failed: failures });
  const connected = names.flatMap((service) => results.get(service.toLowerCase()) ?? []);
  await approveKnown(
    kay,
    link,
    connected.map(({ service }) => service),
  );
  finish(kay, names, connected, failures);
}

type ConnectionRun = {
  options: ConnectOptions;
  take(result: ConnectedService): void;
  tryConnect(service: string, work: () => Promise<ConnectedService>): Promise<void>;
  failed: Map<string, Problem>;
};

/** Prompts for a site or a new link only after the other services are done. */
async function connectOthers(
  kay: Kay,
  link: BackendHandle,
  services: string[],
  { options, take, tryConnect, failed }: ConnectionRun,
): Promise<void> {
  const takeResult = (index: number, result: ConnectResult) => {
    if (result.status === "fulfilled") take(result.value);
    else if (result.reason instanceof Problem && !isAskedAgain(result.reason))
      kay.out.writeProgress(`${kay.out.paint("red", "✗", "stderr")} ${services[index]}: ${result.reason.message}`);
  };
  const site = options.site === undefined ? {} : { site: options.site };
  const results = connectConcurrently(kay, link, services, { ...site, settled: takeResult });
  const ends = await results.catch((error: unknown) => {
    if (!(error instanceof Problem) || kay.signal.aborted) throw error;
    failed.set(services[0] ?? "", error);
    return [];
  });
  for (const [index, end] of ends.entries())
    if (end.status === "rejected")
      await tryConnect(services[index] ?? "", () =>
        connectAgain(kay, link, services[index] ?? "", { options, error: end.reason }),
      );
}

/** The first failure decides the exit code; the document lists what was connected. */
function finish(kay: Kay, services: string[], connected: ConnectedService[], failures: Map<string, Problem>): void {
  const [first] = failures.values();
  if (first) {
    if (connected.length === 0 && failures.size === 1) throw first;
    const { code, message, hint, details, cause } = first;
    const failedServices = [...failures].map(([service, problem]) => ({
      service,
      code: problem.code,
      message: problem.message,
    }));
    const allDetails = {
      ...details,
      connected: connected.map(toDocument),
      ...(failures.size > 1 ? { failed: failedServices } : {}),
    };
    throw new Problem(code, message, { hint, cause, details: allDetails });
  }
  if (kay.flags.json && services.length > 1) kay.out.writeJson({ connected: connected.map(toDocument) });
  else if (kay.flags.json) report(kay, connected);
}

async function connectOne(
  kay: Kay,
  link: BackendHandle,
  service: string,
  options: ConnectOptions,
): Promise<ConnectedService> {
  try {
    return await connectService(kay, link, service, options);
  } catch (error) {
    return await connectAgain(kay, link, service, { options, error });
  }
}

function isAskedAgain({ code }: Problem): boolean {
  return code === "SITE_REQUIRED" || code === "AUTHORIZATION_EXPIRED";
}

/** Retries after a failure that the user can resolve. @throws the failure otherwise */
async function connectAgain(
  kay: Kay,
  link: BackendHandle,
  service: string,
  { options, error }: { options: ConnectOptions; error: unknown },
): Promise<ConnectedService> {
  if (!(error instanceof Problem)) throw error;
  if (error.code === "SITE_REQUIRED")
    return connectOne(kay, link, service, { ...options, site: await chooseSite(kay, service, error) });
  if (!canPrompt(kay)) throw error;
  if (error.code !== "AUTHORIZATION_EXPIRED") throw error;
  const { stderr, stdin } = kay.terminal;
  const show = () => stderr.write(`${error.message} Press Enter for a new link, or Ctrl+C to quit. `);
  if ((await stdin.line(kay.signal, { show })) === null) throw error;
  return connectOne(kay, link, service, options);
}

/**
 * Asks which of the account's sites to use.
 *
 * @throws Problem SITE_REQUIRED with an example command when kay cannot prompt
 */
async function chooseSite(kay: Kay, service: string, { code, message, details }: Problem): Promise<string> {
  const sites = (details.sites ?? []) as { name: string; url: string }[];
  const example = `kay connect ${quoteShellWord(service)} --site ${quoteShellWord(sites[0]?.name ?? "<name>")}`;
  const problem = new Problem(code, message, { details, hint: `For example: ${example}` });
  if (sites.length === 0 || !canPrompt(kay)) throw problem;
  const { stderr, stdin } = kay.terminal;
  stderr.write(`${message}\n`);
  for (const [index, { name, url }] of sites.entries())
    stderr.write(`  ${index + 1}  ${clean(`${name}  ${url}`, { lines: false })}\n`);
  for (;;) {
    await stdin.forget();
    const answer = await stdin.line(kay.signal, {
      show: () => stderr.write(`Which site (1 to ${sites.length})? `),
    });
    const site = sites[Number(answer?.trim() || Number.NaN) - 1];
    if (site) return site.url;
    if (answer === null) throw problem;
  }
}

/** Prints the link and the command that finishes the connection (`--no-wait`). */
async function beginOnly(kay: Kay, link: BackendHandle, service: string, { site }: ConnectOptions): Promise<void> {
  const attempt = await beginConnection(kay, link, service, site);
  await savePendingConnection(kay, link, attempt);
  const { response } = attempt;
  const profile = formatProfileFlag(kay.profile());
  const poll = `kay connect ${quoteShellWord(response.service)} --poll ${quoteShellWord(response.state)}${profile}`;
  if (!kay.flags.json) {
    const tunnel = isConcluded(response) ? [] : explainTunnel(kay, [showLink(kay, response)]);
    if (tunnel.length > 0) kay.out.writeProgress(tunnel.join("\n"));
    return kay.out.writeVerbatim(poll);
  }
  const { session_id, authorization_url, state, user_code } = response;
  const expires_at = new Date(attempt.deadline).toISOString();
  kay.out.writeJson({
    service: response.service,
    session_id,
    authorization_url,
    state,
    ...(user_code ? { user_code } : {}),
    expires_at,
    poll,
  });
}

function report(kay: Kay, connected: ConnectedService[]): void {
  for (const result of connected) {
    if (kay.flags.json) kay.out.writeJson(toDocument(result));
    else kay.out.writeLine(result.message);
  }
}

function toDocument({ service, connection, before }: ConnectedService): Record<string, unknown> {
  return { service, ...connection, ...(before ? { previous: { user: before.user } } : {}) };
}
