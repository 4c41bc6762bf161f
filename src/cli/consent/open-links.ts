import type { Kay } from "../kay.ts";
import { formatTunnel } from "./tunnel.ts";

/** Opens links in the browser. If none can be opened, it says why once, and what to do instead. */
export async function openLinks(kay: Kay, urls: string[], say = kay.out.writeProgress): Promise<void> {
  const them = urls.length === 1 ? "the link" : "the links";
  for (const url of urls) {
    const plan = await kay.planBrowser(url);
    const why = "reason" in plan ? plan.reason : (await kay.openBrowser(plan)) ? null : "Could not open a browser.";
    if (why !== null) return say([`${why} Open ${them} manually.`, ...explainTunnel(kay, urls)].join("\n"));
  }
}

/** Opens one link. */
export async function openLink(kay: Kay, url: string): Promise<void> {
  await openLinks(kay, [url]);
}

/** Returns what to run first so that links to this machine work over SSH; nothing where they work as they are. */
export function explainTunnel(kay: Kay, urls: string[]): string[] {
  const command = formatTunnel(urls, kay.env);
  if (command === null) return [];
  const subject = urls.length === 1 ? "The link leads" : "The links lead";
  return [`${subject} to this machine. Run this on your own machine first, and keep it running:`, `  \`${command}\``];
}
