import { isAccountLabel } from "#protocol/tool-names";
import type { ServiceConfiguration } from "./service.ts";
import type { Tool } from "./tool.ts";

/**
 * Returns the service for one more account of a built-in or custom service, or undefined for any other name. Its tools
 * have the name of the account too (`jira@work.search`), and so do policies, approvals and receipts. An account of an
 * MCP server is stored as a server, since each account has a tool list to approve.
 */
export function findAccountService(
  services: readonly ServiceConfiguration[],
  name: string,
): ServiceConfiguration | undefined {
  const [base, label, ...rest] = name.split("@");
  if (label === undefined || rest.length > 0 || !isAccountLabel(label)) return undefined;
  const configuration = services.find(({ service, described }) => service.name === base && !described?.mcp);
  return configuration && toAccountService(configuration, name, label);
}

/** One object for each account, since tools and their schemas are compared by identity. */
const accounts = new WeakMap<ServiceConfiguration, Map<string, ServiceConfiguration>>();

function toAccountService(configuration: ServiceConfiguration, name: string, label: string): ServiceConfiguration {
  const labelled = accounts.get(configuration) ?? new Map<string, ServiceConfiguration>();
  accounts.set(configuration, labelled);
  const { service } = configuration;
  const created = labelled.get(name) ?? {
    ...configuration,
    service: {
      ...service,
      name,
      title: `${service.title} (${label})`,
      tools: service.tools.map((tool): Tool => ({ ...tool, name: name + tool.name.slice(service.name.length) })),
    },
  };
  if (labelled.size < MAX_KNOWN_ACCOUNTS) labelled.set(name, created);
  return created;
}

/** Maximum number of accounts of one service that are kept in memory. */
const MAX_KNOWN_ACCOUNTS = 1_000;
