import { isLoopbackHost } from "#net/addresses";
import { Problem } from "#protocol/errors";
import type { ServiceView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import { loadServices } from "../../backend/known-services.ts";
import { openLinks } from "../../consent/open-links.ts";
import type { Kay } from "../../kay.ts";
import { listWrites } from "../log/run.ts";

/** A link and the service that it must belong to. */
type ObjectLink = { url: string; service: string; summary?: string };

/** Number of recent changes that are searched for words. */
const RECENT = 500;

/** Runs `kay open`. */
export async function openObject(kay: Kay, object: string): Promise<void> {
  const link = await kay.openBackend({ signedIn: true });
  const target = await findOwnLink(kay, link, object);
  if (kay.flags.json) {
    const plan = await kay.planBrowser(target.url);
    const isOpened = "launch" in plan && (await kay.openBrowser(plan));
    return kay.out.writeJson({ ...target, opened: isOpened });
  }
  if (target.summary !== undefined) kay.out.writeProgress(toLine(target.summary));
  kay.out.writeLine(toLine(target.url));
  if (kay.flags.browser) await openLinks(kay, [target.url]);
}

/**
 * Finds the link of an object: an issue or pull request at its service, otherwise the newest change that names it.
 *
 * @throws Problem NOT_FOUND, ADDRESS_REFUSED for a link that leads elsewhere than to the service
 */
export async function findOwnLink(kay: Kay, link: BackendHandle, object: string): Promise<ObjectLink> {
  const target = await findLink(kay, link, object.trim());
  const service = (await loadServices(kay, link)).find(({ name }) => name === target.service);
  if (service && isOwnLink(target.url, service)) return target;
  throw new Problem(
    "ADDRESS_REFUSED",
    `The link does not belong to ${toLine(target.service)}, so it was not opened: ${toLine(target.url)}`,
    { hint: "" },
  );
}

async function findLink(kay: Kay, link: BackendHandle, object: string): Promise<ObjectLink> {
  let refused: unknown;
  for (const { tool, input } of listReads(object)) {
    try {
      const { output } = await link.api.callTool(tool, input, { signal: kay.signal });
      const [service = ""] = tool.split(".");
      if (output.url) return { url: output.url, service };
    } catch (error) {
      if (!(error instanceof Problem) || kay.signal.aborted) throw error;
      refused ??= error;
    }
  }
  const recent = await findInLog(link, object);
  if (recent) return recent;
  throw (
    refused ??
    new Problem("NOT_FOUND", `Nothing that kay changed matches ${JSON.stringify(toLine(object).slice(0, 60))}.`, {
      hint: "`kay log` lists the changes. An issue key (KAY-1) or repository#number also works.",
    })
  );
}

/** Lists the reads that find an object by the form of its name. */
function listReads(object: string): { tool: string; input: Record<string, unknown> }[] {
  if (/^[a-z][a-z0-9_]+-\d+$/i.test(object)) return [{ tool: "jira.get_issue", input: { issue: object } }];
  const [, repository, digits] = /^([\w.-]+(?:\/[\w.-]+)?)#(\d{1,9})$/.exec(object) ?? [];
  if (repository === undefined) return [];
  const number = Number(digits);
  return [
    { tool: "github.get_issue", input: { repository, number } },
    { tool: "github.get_pull_request", input: { repository, number } },
    { tool: "bitbucket.get_pull_request", input: { repository: repository.replace(/^.*\//, ""), id: number } },
  ];
}

async function findInLog(link: BackendHandle, object: string): Promise<ObjectLink | undefined> {
  const { writes } = await listWrites(link, { limit: RECENT });
  const lowerName = object.toLowerCase();
  const write = writes.find(
    ({ url, summary }) =>
      url && (lowerName === "latest" || namesObject(summary, lowerName) || namesObject(url, lowerName)),
  );
  return write?.url ? { url: write.url, service: write.service, summary: write.summary } : undefined;
}

/** Whether a text contains the words as a whole: KAY-1 is not in KAY-12. */
function namesObject(text: string, words: string): boolean {
  const all = text.toLowerCase();
  for (let index = all.indexOf(words); index >= 0; index = all.indexOf(words, index + 1))
    if (!/[\p{L}\p{N}]$/u.test(all.slice(0, index)) && !/^[\p{L}\p{N}]/u.test(all.slice(index + words.length)))
      return true;
  return false;
}

/** Domains of results that differ from the domain of the service's consent page. */
const OTHER_DOMAINS: Record<string, string[]> = { notion: ["notion.so"] };

/** Second-level domains whose subdomains have different owners: `example.co.uk`. */
const SHARED_SUFFIX = /^(?:co|com|net|org|gov|ac|edu|or|ne)\.[a-z]{2}$/;

/**
 * Whether a link belongs to the service: https on a domain of its site, consent page or API. A link to this machine
 * counts only if the service runs here, like a stand-in.
 */
export function isOwnLink(link: string, { name, metadata, client, base_url }: ServiceView): boolean {
  const url = URL.parse(link);
  if (url?.username !== "" || url.password !== "") return false;
  const origins = [metadata?.url, client?.authorize_url, base_url].flatMap((text) => URL.parse(text ?? "") ?? []);
  if (isLoopbackHost(url.hostname)) return origins.some(({ origin }) => origin === url.origin);
  if (url.protocol !== "https:") return false;
  const domains = [...origins.map(({ hostname }) => getDomain(hostname)), ...(OTHER_DOMAINS[name] ?? [])];
  return domains.includes(getDomain(url.hostname));
}

/** Returns the registered domain of a host name. An IP address counts as a whole. */
function getDomain(host: string): string {
  if (/^[\d.]+$|^\[/.test(host)) return host;
  const labels = host.split(".");
  return labels.slice(SHARED_SUFFIX.test(labels.slice(-2).join(".")) ? -3 : -2).join(".");
}
