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
import type { OAuthClient } from "./oauth.ts";
import type { Service, ServiceConfiguration } from "./service.ts";
import type { Endpoints } from "./service-http.ts";
import { slack } from "./slack/slack.ts";

/** The address of a provider's sandbox stand-in, and the client registered there. */
export type SandboxProvider = { origin: string; client: OAuthClient };

/** The operator's configuration. Keys are providers: `atlassian`, `bitbucket`, `slack`, `github`, `kyg`. */
export type CatalogueOptions = {
  clients: Record<string, OAuthClient>;
  sandbox?: Record<string, SandboxProvider>;
  kyg?: KygConfiguration;
  /** Addresses of self-hosted installations, and providers whose users paste a token. */
  addresses?: Record<string, string>;
  pasted?: readonly string[];
};

/**
 * Returns every service with its endpoints: the real ones if a client is configured, else the sandbox's if it runs,
 * else endpoints that cannot be connected. To add a service, add its file and one line here.
 */
export function configureServices(options: CatalogueOptions): ServiceConfiguration[] {
  return [...BUILT_IN, createKygService(options.kyg)].map((service) => configureService(service, options));
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

function configureService(built: Service, options: CatalogueOptions): ServiceConfiguration {
  const { clients, sandbox, addresses = {}, pasted = [] } = options;
  const { provider } = built.oauth;
  const service = moveTo(built, addresses[provider]);
  if (pasted.includes(provider)) return takeOwnToken(service);
  const client = clients[provider];
  if (client && service !== built)
    return { service, endpoints: service.endpoints, client, binding: service.endpoints.api };
  if (client && service.endpoints.api) return { service, endpoints: service.endpoints, client };
  const standIn = sandbox?.[provider];
  if (!standIn || service !== built) return { service, endpoints: service.endpoints, client: null };
  return { service, endpoints: moveToOrigin(service.endpoints, standIn.origin), client: standIn.client };
}

function moveTo(service: Service, address: string | undefined): Service {
  const place = address === undefined ? undefined : service.locate?.(address);
  if (!place) return service;
  return { ...service, endpoints: place.endpoints, oauth: { ...service.oauth, accessPage: place.accessPage } };
}

/** Converts a service to one whose user pastes a token, which kay cannot refresh or revoke. */
function takeOwnToken(service: Service): ServiceConfiguration {
  const { revocation: _, ...oauth } = service.oauth;
  const tokenService: Service = {
    ...service,
    identify: service.identifyToken ?? service.identify,
    credential: { kind: "header", name: "authorization", prefix: "Bearer " },
    oauth: { ...oauth, scopes: [], pkce: false, clientAuth: "none", refresh: "none" },
  };
  const binding = `token ${service.endpoints.api}`;
  return { service: tokenService, endpoints: tokenService.endpoints, client: { id: service.name }, binding };
}

/** Moves endpoints to another origin. A stand-in serves all roles of its provider. */
function moveToOrigin(endpoints: Endpoints, origin: string): Endpoints {
  const moved = Object.entries(endpoints).map(([role, url]) => [role, origin + getPath(url)]);
  return Object.fromEntries(moved) as Endpoints;
}

function getPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/(?<!\/)\/+$/, "") : "";
}
