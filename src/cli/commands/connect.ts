import { Command } from "commander";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { begin, type Connected, connectService, showLink } from "../connecting.ts";
import type { Kay, Link } from "../kay.ts";
import { finishLater, keepForLater } from "../later.ts";
import { isAskable } from "../prompt.ts";

type Options = { site?: string; wait: boolean; poll?: string };

/** `kay connect <service...>`: consent in the browser, and then signed in. */
export function connectCommand(kay: Kay): Command {
  return new Command("connect")
    .description("Connect services, each through its own consent page in the browser")
    .argument("[service...]", "jira, confluence, bitbucket, …")
    .option("--site <name>", "which site, when the account has several (name or URL)")
    .option("--no-wait", "print the link and end; --poll finishes it later")
    .option("--poll <state>", "finish a connection that --no-wait began")
    .addHelpText(
      "after",
      `
Examples:
  $ kay connect jira
  $ kay connect jira confluence
  $ kay connect jira --no-wait --json     # prints the link and the command that finishes it`,
    )
    .action(async (services: string[], options: Options) => {
      if (services.length === 0) {
        throw new Problem("USAGE", "Say which service to connect.", {
          hint: "For example: kay connect jira. Run `kay connections` to see every service.",
        });
      }
      const [service = "", ...others] = services;
      const single = options.poll !== undefined || !options.wait;
      if (single && others.length > 0) throw new Problem("USAGE", "--no-wait and --poll take one service at a time.");
      const link = await kay.link();
      if (options.poll !== undefined) return report(kay, [await finishLater(kay, link, service, options.poll)]);
      if (!options.wait) return beginOnly(kay, link, service, options);
      const connected: Connected[] = [];
      for (const each of new Set(services))
        connected.push(await connectOne(kay, link, each, options, services.length > 1));
      report(kay, services.length > 1 ? connected : connected.slice(0, 1), services.length > 1);
    });
}

async function connectOne(
  kay: Kay,
  link: Link,
  service: string,
  options: Options,
  several: boolean,
): Promise<Connected> {
  try {
    const done = await connectService(kay, link, service, options);
    if (several) kay.out.note(`${kay.out.paint("green", "✓", "stderr")} ${done.message}`);
    return done;
  } catch (error) {
    if (!(error instanceof Problem) || !isAskable(kay)) throw error;
    if (error.code === "SITE_REQUIRED")
      return connectOne(kay, link, service, { ...options, site: await chooseSite(kay, error) }, several);
    if (error.code !== "AUTHORIZATION_EXPIRED") throw error;
    kay.terminal.stderr.write(`${error.message} Press Enter for a fresh one, Ctrl+C to end. `);
    if ((await kay.terminal.stdin.line(kay.signal)) === null) throw error;
    return connectOne(kay, link, service, options, several);
  }
}

/** The account opens several sites: the person chooses one, by number (case V04). */
async function chooseSite(kay: Kay, problem: Problem): Promise<string> {
  const sites = (problem.details.sites ?? []) as { name: string; url: string }[];
  if (sites.length === 0) throw problem;
  kay.terminal.stderr.write(`${problem.message}\n`);
  for (const [index, site] of sites.entries()) {
    kay.terminal.stderr.write(`  ${index + 1}  ${clean(`${site.name}  ${site.url}`, { lines: false })}
`);
  }
  kay.terminal.stderr.write("Which one? ");
  const answer = await kay.terminal.stdin.line(kay.signal);
  const chosen = sites[Number(answer?.trim()) - 1];
  if (!chosen) throw problem;
  return chosen.url;
}

/** `--no-wait`: the link and what finishes it. */
async function beginOnly(kay: Kay, link: Link, service: string, { site }: Options): Promise<void> {
  const begun = await begin(kay, link, service, site);
  await keepForLater(kay, link, begun);
  const { response } = begun;
  const poll = `kay connect ${response.service} --poll ${response.state}`;
  if (!kay.flags.json) {
    showLink(kay, response);
    return kay.out.line(poll);
  }
  const { session_id, authorization_url, state } = response;
  const expires_at = new Date(begun.deadline).toISOString();
  kay.out.json({ service: response.service, session_id, authorization_url, state, expires_at, poll });
}

function report(kay: Kay, connected: Connected[], several = false): void {
  if (kay.flags.json) {
    const documents = connected.map(({ service, connection }) => ({ service, ...connection }));
    kay.out.json(several ? { connected: documents } : documents[0]);
  } else if (!several) {
    for (const { message } of connected) kay.out.line(message);
  }
}
