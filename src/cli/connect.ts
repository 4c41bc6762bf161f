import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { shellWord } from "#protocol/shell";
import { begin, type Connected, connectService, showLink } from "./connecting.ts";
import type { Kay, Link } from "./kay.ts";
import { finishLater, keepForLater } from "./later.ts";
import { isAskable } from "./prompt.ts";

/** Options of `kay connect`. */
export type ConnectOptions = { site?: string; wait: boolean; poll?: string };

/** What `kay connect` does: connect each service, or only begin (`--no-wait`) or finish (`--poll`) one. */
export async function connectServices(kay: Kay, services: string[], options: ConnectOptions): Promise<void> {
  if (services.length === 0) {
    throw new Problem("USAGE", "Say which service to connect.", {
      hint: "For example: kay connect jira. Run `kay connections` to see every service.",
    });
  }
  const [service = "", ...others] = services;
  const single = options.poll !== undefined || !options.wait;
  if (single && others.length > 0) throw new Problem("USAGE", "--no-wait and --poll take one service at a time.");
  const link = await kay.link();
  if (link.byToken) {
    throw new Problem(
      "USAGE",
      "KAY_TOKEN is set, but services are connected for a sign-in that is kept on this machine.",
      {
        hint: "Unset KAY_TOKEN for this command.",
      },
    );
  }
  if (options.poll !== undefined) return report(kay, [await finishLater(kay, link, service, options.poll)]);
  if (!options.wait) return beginOnly(kay, link, service, options);
  await connectAll(kay, link, [...new Set(services)], options);
}

/** One after the other. What was connected before one failed stays, and is told. */
async function connectAll(kay: Kay, link: Link, services: string[], options: ConnectOptions): Promise<void> {
  const connected: Connected[] = [];
  for (const service of services) {
    try {
      connected.push(await connectOne(kay, link, service, options));
    } catch (error) {
      if (!(error instanceof Problem) || connected.length === 0) throw error;
      const { code, message, hint, details, cause } = error;
      throw new Problem(code, message, { hint, cause, details: { ...details, connected: connected.map(asJson) } });
    }
    if (!kay.flags.json) report(kay, connected.slice(-1));
  }
  if (kay.flags.json && services.length > 1) kay.out.json({ connected: connected.map(asJson) });
  else if (kay.flags.json) report(kay, connected);
}

async function connectOne(kay: Kay, link: Link, service: string, options: ConnectOptions): Promise<Connected> {
  try {
    return await connectService(kay, link, service, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === "SITE_REQUIRED")
      return connectOne(kay, link, service, { ...options, site: await chooseSite(kay, service, error) });
    if (!isAskable(kay)) throw error;
    if (error.code !== "AUTHORIZATION_EXPIRED") throw error;
    kay.terminal.stderr.write(`${error.message} Press Enter for a fresh one, Ctrl+C to end. `);
    if ((await kay.terminal.stdin.line(kay.signal)) === null) throw error;
    return connectOne(kay, link, service, options);
  }
}

/** The account opens several sites: the person chooses one, by number (case V04). Where nobody can be asked, the error says how to. */
async function chooseSite(kay: Kay, service: string, { code, message, details }: Problem): Promise<string> {
  const sites = (details.sites ?? []) as { name: string; url: string }[];
  const example = `kay connect ${shellWord(service)} --site ${shellWord(sites[0]?.name ?? "<name>")}`;
  const problem = new Problem(code, message, { details, hint: `For example: ${example}` });
  if (sites.length === 0 || !isAskable(kay)) throw problem;
  const { stderr, stdin } = kay.terminal;
  stderr.write(`${message}\n`);
  for (const [index, { name, url }] of sites.entries())
    stderr.write(`  ${index + 1}  ${clean(`${name}  ${url}`, { lines: false })}\n`);
  for (;;) {
    await stdin.forget();
    stderr.write(`Which one, 1 to ${sites.length}? `);
    const answer = await stdin.line(kay.signal);
    const chosen = sites[Number(answer?.trim() || Number.NaN) - 1];
    if (chosen) return chosen.url;
    if (answer === null) throw problem;
  }
}

/** `--no-wait`: the link and what finishes it. */
async function beginOnly(kay: Kay, link: Link, service: string, { site }: ConnectOptions): Promise<void> {
  const begun = await begin(kay, link, service, site);
  await keepForLater(kay, link, begun);
  const { response } = begun;
  const profile = kay.flags.profile ? ` --profile ${kay.flags.profile}` : "";
  const poll = `kay connect ${shellWord(response.service)} --poll ${shellWord(response.state)}${profile}`;
  if (!kay.flags.json) {
    showLink(kay, response);
    return kay.out.line(poll);
  }
  const { session_id, authorization_url, state } = response;
  const expires_at = new Date(begun.deadline).toISOString();
  kay.out.json({ service: response.service, session_id, authorization_url, state, expires_at, poll });
}

function report(kay: Kay, connected: Connected[]): void {
  for (const one of connected) {
    if (kay.flags.json) kay.out.json(asJson(one));
    else kay.out.line(one.message);
  }
}

function asJson({ service, connection }: Connected): Record<string, unknown> {
  return { service, ...connection };
}
