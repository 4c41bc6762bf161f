import { airtable } from "./airtable/airtable.ts";
import { bitbucket } from "./bitbucket/bitbucket.ts";
import { confluence } from "./confluence/confluence.ts";
import { github } from "./github/github.ts";
import { gmail } from "./gmail/gmail.ts";
import { googleCalendar } from "./google-calendar/google-calendar.ts";
import { googleDocs } from "./google-docs/google-docs.ts";
import { googleDrive } from "./google-drive/google-drive.ts";
import { googleSheets } from "./google-sheets/google-sheets.ts";
import { hubspot } from "./hubspot/hubspot.ts";
import { jira } from "./jira/jira.ts";
import { createKygService, type KygConfiguration } from "./kyg.ts";
import { linkedin } from "./linkedin/linkedin.ts";
import { notion } from "./notion/notion.ts";
import type { Endpoints, OAuthClient, Service, ServiceConfiguration } from "./service.ts";
import { slack } from "./slack/slack.ts";

/** Where a stand-in of a provider listens, and the client that is registered there. */
export type SandboxProvider = { origin: string; client: OAuthClient };

/** What an operator has configured; the keys are providers: `atlassian`, `bitbucket`, `slack`, `github`, `kyg`. */
export type CatalogueOptions = {
  clients: Record<string, OAuthClient>;
  sandbox?: Record<string, SandboxProvider>;
  kyg?: KygConfiguration;
};

/**
 * Every service with its endpoints: the real ones where a client is configured, else those of the sandbox where one runs, else none that
 * can be connected. A new service is one file and one line here.
 */
export function configureServices(options: CatalogueOptions): ServiceConfiguration[] {
  return [...BUILT_IN, createKygService(options.kyg)].map((service) => configure(service, options));
}

const BUILT_IN: Service[] = [
  jira,
  confluence,
  bitbucket,
  slack,
  github,
  gmail,
  googleCalendar,
  googleDocs,
  googleSheets,
  googleDrive,
  notion,
  airtable,
  hubspot,
  linkedin,
];

function configure(service: Service, { clients, sandbox }: CatalogueOptions): ServiceConfiguration {
  const { provider } = service.oauth;
  const client = clients[provider];
  if (client && service.endpoints.api) return { service, endpoints: service.endpoints, client };
  const standIn = sandbox?.[provider];
  if (!standIn) return { service, endpoints: service.endpoints, client: null };
  return { service, endpoints: atOrigin(service.endpoints, standIn.origin), client: standIn.client };
}

/** The same paths at another origin; a stand-in serves all roles of its provider. */
function atOrigin(endpoints: Endpoints, origin: string): Endpoints {
  const moved = Object.entries(endpoints).map(([role, url]) => [role, origin + getPath(url)]);
  return Object.fromEntries(moved) as Endpoints;
}

function getPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, "") : "";
}
