import { isLoopbackHost } from "#net/addresses";
import { quoteShellWord } from "#protocol/shell";
import type { Kay } from "../kay.ts";
import { explainPaste, getLocalRedirect } from "./pasted-address.ts";

/** Opens links in the browser. If none can be opened, says once why, and what to do. */
export async function openLinks(kay: Kay, urls: string[], say = kay.out.writeProgress): Promise<void> {
  const them = urls.length === 1 ? "the link" : "the links";
  for (const url of urls) {
    const plan = await kay.planBrowser(url);
    const problem = "reason" in plan ? plan.reason : (await kay.openBrowser(plan)) ? null : "Could not open a browser.";
    if (problem !== null)
      return say(
        [`${problem} Open ${them} manually.`, ...explainTunnel(kay, urls), ...explainPaste(kay, urls)].join("\n"),
      );
  }
}

/** Opens one link. */
export async function openLink(kay: Kay, url: string): Promise<void> {
  await openLinks(kay, [url]);
}

/** Returns lines with the command that makes links to this machine work over SSH; empty if they already work. */
export function explainTunnel(kay: Kay, urls: string[]): string[] {
  const command = formatTunnel(urls, kay.env);
  if (command === null) return [];
  const subject = urls.length === 1 ? "The link leads" : "The links lead";
  return [`${subject} to this machine. Run this on your own machine first, and keep it running:`, `  \`${command}\``];
}

type Env = Record<string, string | undefined>;

/**
 * Formats the `ssh` command that lets a browser on the user's own machine follow the links. Returns null outside SSH,
 * and for links that lead to no port of this machine.
 */
export function formatTunnel(urls: string[], env: Env): string | null {
  if (!env.SSH_CONNECTION && !env.SSH_CLIENT && !env.SSH_TTY) return null;
  const ports = new Set(urls.flatMap(listLoopbackPorts));
  if (ports.size === 0) return null;
  const forwards = [...ports].map((port) => `-L ${port}:127.0.0.1:${port}`).join(" ");
  return `ssh -N ${forwards} ${formatDestination(env)}`;
}

/** Returns the ports of this machine that a browser visits: of the link, and of the redirect address. */
function listLoopbackPorts(url: string): string[] {
  const parsed = URL.parse(url);
  return [parsed, getLocalRedirect(url)].flatMap((url) =>
    url?.protocol === "http:" && isLoopbackHost(url.hostname) ? [url.port || "80"] : [],
  );
}

/** Returns the server's address in this SSH connection: SSH_CONNECTION is "client port server port". */
function formatDestination(env: Env): string {
  const [, , host, port] = (env.SSH_CONNECTION ?? "").split(" ");
  const user = env.USER || env.LOGNAME;
  const name = host && /^[0-9a-fA-F.:%\w-]+$/.test(host) ? host : "<this-machine>";
  const target = user && name === host ? `${quoteShellWord(user)}@${name}` : name;
  return port && port !== "22" && /^\d+$/.test(port) ? `-p ${port} ${target}` : target;
}
