/** An MCP server on the Internet that kay knows by name: `kay connect linear`. */
export type KnownService = {
  name: string;
  title: string;
  /** Its purpose, in a few words. */
  purpose: string;
  url: string;
  /** `sse` is HTTP with SSE, which MCP replaced in 2025. */
  transport: "http" | "sse";
  /**
   * How kay becomes a client: `automatic` by a metadata document or a registration, `client-id` with a client that its
   * user registers, `key` with a key that the user pastes, `none` without a sign-in. This is the vendor's
   * documentation; the server's own answer takes precedence.
   */
  client: "automatic" | "client-id" | "key" | "none";
  /** The vendor's documentation, or the page with the address where none was found. */
  docs: string;
  /** The page that documents the address, and the day it was checked. */
  source: string;
  checked: string;
  /** Other obstacles. */
  note?: string;
};

/** Finds a known service by its name. */
export function findKnownService(name: string): KnownService | undefined {
  return KNOWN_SERVICES.find((service) => service.name === name);
}

/**
 * One row each: name, title, purpose, URL, transport, client, documentation, source (`=`: the documentation), day, note. A new row needs a page
 * that has the address.
 */
const ROWS = `
airtable | Airtable | bases, tables and records | https://mcp.airtable.com/mcp | http | automatic | https://github.com/jaw9c/awesome-remote-mcp-servers | = | 2026-11-29
apify | Apify | web scrapers and the data they collect | https://mcp.apify.com/ | http | key | https://github.com/docker/mcp-registry/blob/main/servers/apify/server.yaml | = | 2026-11-30
asana | Asana | tasks, projects and goals | https://mcp.asana.com/v2/mcp | http | client-id | https://developers.asana.com/docs/integrating-with-asanas-mcp-server | = | 2026-11-29
atlassian | Atlassian Rovo | Jira, Confluence and Compass | https://mcp.atlassian.com/v1/mcp/authv2 | http | automatic | https://support.atlassian.com/security-and-access-policies/docs/understand-atlassian-rovo-mcp-server/ | https://github.com/atlassian/atlassian-mcp-server | 2026-11-29
attio | Attio | customer records, notes and tasks | https://mcp.attio.com/mcp | http | automatic | https://docs.attio.com/mcp/overview | https://code.claude.com/docs/en/mcp | 2026-11-29
box | Box | files and folders | https://mcp.box.com/ | http | client-id | https://developer.box.com/guides/box-mcp/remote-mcp-server/ | = | 2026-11-29
buildkite | Buildkite | pipelines, builds and jobs | https://mcp.buildkite.com/mcp | http | automatic | https://buildkite.com/docs/apis/mcp-server | https://buildkite.com/docs/platform/security/oauth.md | 2026-11-30
canva | Canva | designs and exports | https://mcp.canva.com/mcp | http | automatic | https://www.canva.dev/docs/connect/canva-mcp-server-setup/ | https://code.claude.com/docs/en/mcp | 2026-11-29
clickup | ClickUp | tasks, documents and projects | https://mcp.clickup.com/mcp | http | automatic | https://help.clickup.com/hc/en-us/articles/33335772678423-What-is-ClickUp-MCP | https://code.claude.com/docs/en/mcp | 2026-11-29
close | Close | leads, calls and messages | https://mcp.close.com/mcp | http | key | https://help.close.com/docs/mcp-server | https://github.com/docker/mcp-registry/blob/main/servers/close/server.yaml | 2026-11-30
cloudflare | Cloudflare Workers | Workers, storage and databases | https://bindings.mcp.cloudflare.com/mcp | http | automatic | https://github.com/cloudflare/mcp-server-cloudflare | = | 2026-11-29
cloudflare-builds | Cloudflare Workers Builds | builds of Workers | https://builds.mcp.cloudflare.com/mcp | http | automatic | https://github.com/cloudflare/mcp-server-cloudflare | = | 2026-11-29
cloudflare-docs | Cloudflare documentation | pages of Cloudflare's documentation | https://docs.mcp.cloudflare.com/mcp | http | none | https://github.com/cloudflare/mcp-server-cloudflare | = | 2026-11-29
cloudflare-observability | Cloudflare Observability | logs and analytics of Workers | https://observability.mcp.cloudflare.com/mcp | http | automatic | https://github.com/cloudflare/mcp-server-cloudflare | = | 2026-11-29
cloudflare-radar | Cloudflare Radar | traffic and security of the Internet | https://radar.mcp.cloudflare.com/mcp | http | automatic | https://github.com/cloudflare/mcp-server-cloudflare | = | 2026-11-29
context7 | Context7 | documentation of libraries | https://mcp.context7.com/mcp | http | none | https://context7.com/docs/overview | https://github.com/upstash/context7 | 2026-11-29
deepwiki | DeepWiki | questions about GitHub repositories | https://mcp.deepwiki.com/mcp | http | none | https://docs.devin.ai/work-with-devin/deepwiki-mcp | https://docs.devin.ai/zh/work-with-devin/deepwiki-mcp | 2026-11-29
gamma | Gamma | presentations, documents and sites | https://mcp.gamma.app/mcp | http | automatic | https://gamma.app/docs/Gamma-MCP-Server-Documentation-m6p43kobgzy15zj | https://code.claude.com/docs/en/mcp | 2026-11-29
github | GitHub | repositories, issues and pull requests | https://api.githubcopilot.com/mcp/ | http | client-id | https://github.com/github/github-mcp-server/blob/main/docs/host-integration.md | https://github.com/github/github-mcp-server | 2026-11-30
gitlab | GitLab | projects, issues and merge requests | https://gitlab.com/api/v4/mcp | http | automatic | https://docs.gitlab.com/user/gitlab_duo/model_context_protocol/mcp_server/ | https://github.com/anthropics/claude-plugins-official | 2026-11-29
globalping | Globalping | ping, traceroute and DNS from many places | https://mcp.globalping.dev/mcp | http | automatic | https://github.com/jsdelivr/globalping-mcp-server | = | 2026-11-29
granola | Granola | notes of meetings | https://mcp.granola.ai/mcp | http | automatic | https://help.granola.ai/article/granola-mcp | https://github.com/docker/mcp-registry/blob/main/servers/granola-remote/server.yaml | 2026-11-30
hubspot | HubSpot | contacts, companies and deals | https://mcp.hubspot.com/ | http | client-id | https://developers.hubspot.com/docs/apps/developer-platform/build-apps/integrate-with-hubspot-mcp-server | = | 2026-11-30
hugging-face | Hugging Face | models, datasets and papers | https://huggingface.co/mcp | http | none | https://huggingface.co/settings/mcp | https://github.com/huggingface/hf-mcp-server | 2026-11-29
incident-io | incident.io | incidents, alerts and on-call schedules | https://mcp.incident.io/mcp | http | automatic | https://docs.incident.io/ai/remote-mcp | https://github.com/docker/mcp-registry/blob/main/servers/incident-io/server.yaml | 2026-11-30
intercom | Intercom | conversations with customers | https://mcp.intercom.com/mcp | http | automatic | https://developers.intercom.com/docs/guides/mcp | https://code.claude.com/docs/en/mcp | 2026-11-29
jam | Jam | bug reports with recordings | https://mcp.jam.dev/mcp | http | automatic | https://jam.dev/docs/debug-a-jam/mcp | https://code.claude.com/docs/en/mcp | 2026-11-29
linear | Linear | issues, projects and cycles | https://mcp.linear.app/mcp | http | automatic | https://linear.app/docs/mcp | https://github.com/docker/mcp-registry/blob/main/servers/linear/server.yaml | 2026-11-30
make | Make | scenarios and their runs | https://mcp.make.com/ | http | automatic | https://developers.make.com/mcp-server/ | https://code.claude.com/docs/en/mcp | 2026-11-29
microsoft-learn | Microsoft Learn | Microsoft's documentation | https://learn.microsoft.com/api/mcp | http | none | https://learn.microsoft.com/en-us/training/support/mcp | https://github.com/MicrosoftDocs/mcp | 2026-11-29
miro | Miro | boards and diagrams | https://mcp.miro.com/mcp | http | automatic | https://developers.miro.com/docs/miro-mcp | https://github.com/docker/mcp-registry/blob/main/servers/miro-remote/server.yaml | 2026-11-30
mixpanel | Mixpanel | product analytics | https://mcp.mixpanel.com/mcp | http | automatic | https://docs.mixpanel.com/docs/features/mcp | https://code.claude.com/docs/en/mcp | 2026-11-29
monday | monday.com | boards, items and workflows | https://mcp.monday.com/mcp | http | automatic | https://developer.monday.com/apps/docs/mondaycom-mcp-integration | https://github.com/mondaycom/mcp | 2026-11-29
neon | Neon | Postgres projects, branches and queries | https://mcp.neon.tech/mcp | http | automatic | https://github.com/neondatabase/mcp-server-neon | = | 2026-11-29
netlify | Netlify | sites, deploys and forms | https://netlify-mcp.netlify.app/mcp | http | automatic | https://docs.netlify.com/build/build-with-ai/netlify-mcp-server/ | https://code.claude.com/docs/en/mcp | 2026-11-29
notion | Notion | pages and databases | https://mcp.notion.com/mcp | http | automatic | https://developers.notion.com/docs/mcp | https://github.com/docker/mcp-registry/blob/main/servers/notion-remote/server.yaml | 2026-11-30
paypal | PayPal | invoices, orders and disputes | https://mcp.paypal.com/mcp | http | automatic | https://developer.paypal.com/ai-tools/mcp-server | https://code.claude.com/docs/en/mcp | 2026-11-29
posthog | PostHog | product analytics and feature flags | https://mcp.posthog.com/mcp | http | automatic | https://posthog.com/docs/model-context-protocol | https://code.claude.com/docs/en/mcp | 2026-11-29
postman | Postman | API collections and workspaces | https://mcp.postman.com/minimal | http | automatic | https://github.com/postmanlabs/postman-mcp-server | https://code.claude.com/docs/en/mcp | 2026-11-29
prisma | Prisma Postgres | Prisma Postgres databases and backups | https://mcp.prisma.io/mcp | http | automatic | https://www.prisma.io/docs/postgres/mcp-server | = | 2026-11-29
pulumi | Pulumi | stacks, resources and policies | https://mcp.ai.pulumi.com/mcp | http | automatic | https://github.com/pulumi/mcp-server | https://github.com/docker/mcp-registry/blob/main/servers/pulumi-remote/server.yaml | 2026-11-30
ramp | Ramp | expenses, cards and bills | https://ramp-mcp-remote.ramp.com/mcp | http | automatic | https://docs.ramp.com/developer-api/v1/guides/ramp-mcp-remote | https://code.claude.com/docs/en/mcp | 2026-11-29
semgrep | Semgrep | security scans of code | https://mcp.semgrep.ai/mcp | http | none | https://github.com/docker/mcp-registry/blob/main/servers/semgrep/server.yaml | = | 2026-11-30
sentry | Sentry | errors, traces and releases | https://mcp.sentry.dev/mcp | http | automatic | https://docs.sentry.io/product/sentry-mcp/ | https://github.com/getsentry/sentry-mcp | 2026-11-30
slack | Slack | messages, channels and canvases | https://mcp.slack.com/mcp | http | client-id | https://docs.slack.dev/ai/slack-mcp-server/developing | https://code.claude.com/docs/en/mcp | 2026-11-29
square | Square | payments, catalog and customers | https://mcp.squareup.com/mcp | http | automatic | https://github.com/square/square-mcp-server | https://www.developersdigest.tech/mcp-servers/square | 2026-11-29 | Square admits only clients that it has on its list.
stripe | Stripe | payments, customers and subscriptions | https://mcp.stripe.com/ | http | automatic | https://docs.stripe.com/mcp | https://github.com/stripe/ai | 2026-11-29
supabase | Supabase | databases, functions and logs | https://mcp.supabase.com/mcp | http | automatic | https://supabase.com/docs/guides/getting-started/mcp | https://github.com/supabase-community/supabase-mcp | 2026-11-29
telnyx | Telnyx | calls, messages and numbers | https://api.telnyx.com/v2/mcp | http | key | https://github.com/docker/mcp-registry/blob/main/servers/telnyx/server.yaml | = | 2026-11-30
vercel | Vercel | projects, deployments and logs | https://mcp.vercel.com/ | http | automatic | https://vercel.com/docs/mcp/vercel-mcp | https://vercel.com/docs/cli/mcp | 2026-11-30 | Vercel admits only clients that it has reviewed.
webflow | Webflow | sites, pages and CMS items | https://mcp.webflow.com/mcp | http | automatic | https://developers.webflow.com/mcp/v1.0.0/reference/overview | https://code.claude.com/docs/en/mcp | 2026-11-29
wix | Wix | sites, stores and bookings | https://mcp.wix.com/mcp | http | automatic | https://dev.wix.com/docs/sdk/articles/use-the-wix-mcp/about-the-wix-mcp | https://github.com/wix/wix-mcp | 2026-11-29
wordpress | WordPress.com | sites, posts and comments | https://public-api.wordpress.com/wpcom/v2/mcp/v1 | http | automatic | https://developer.wordpress.com/docs/mcp/ | https://code.claude.com/docs/en/mcp | 2026-11-29
zapier | Zapier | actions in thousands of apps | https://mcp.zapier.com/api/v1/connect | http | automatic | https://docs.zapier.com/mcp/get-started/connect | = | 2026-11-29
zoom | Zoom | meetings, recordings and summaries | https://mcp.zoom.us/mcp/zoom/streamable | http | client-id | https://developers.zoom.us/docs/mcp/servers/ | https://mcpservers.org/remote-mcp-servers/zoom | 2026-11-29
`;

/** Every known service, by name. */
export const KNOWN_SERVICES: readonly KnownService[] = ROWS.trim().split("\n").map(parseRow);

function parseRow(row: string): KnownService {
  const [name, title, purpose, url, transport, client, docs, source, checked, note] = row.split(" | ") as string[];
  return {
    ...{ name, title, purpose, url, transport, client, docs, checked },
    source: source === "=" ? docs : source,
    ...(note ? { note } : {}),
  } as KnownService;
}
