import * as z from "zod/mini";
import type { BackendPorts } from "#backend/ports";
import { configureServices } from "#connectors/catalogue";
import type { Tool } from "#connectors/tool";
import { withDescription } from "#connectors/tool";

/** What the tools of {@link deskServices} did, in order. */
export type DeskLog = string[];

const Issue = z.object({ issue: withDescription(z.string(), "Key of the issue, such as KAY-3.") });

/**
 * Jira with three tools that only record what they did, one of each access; only closing contacts the service.
 * `meanwhile` is awaited inside each write. `more` are additional tools of a test, each at the service in its name.
 */
export function deskServices(
  log: DeskLog,
  meanwhile: () => Promise<void> = async () => undefined,
  more: Tool[] = [],
): BackendPorts["services"] {
  const clients = { atlassian: { id: "atlassian-client", secret: "atlassian-secret" } };
  return configureServices({ clients }).map((configuration) => {
    const { service } = configuration;
    const ownTools = more.filter(({ name }) => name.startsWith(`${service.name}.`));
    const tools = service.name === "jira" ? deskTools(log, meanwhile) : [];
    return { ...configuration, service: { ...service, tools: [...tools, ...ownTools] } };
  });
}

function deskTools(log: DeskLog, meanwhile: () => Promise<void>): Tool[] {
  const show: Tool<z.output<typeof Issue>> = {
    name: "jira.show_issue",
    description: "Read one Jira issue.",
    access: "read",
    input: Issue,
    examples: ["show {issue}"],
    summary: ({ issue }) => `Read ${issue}`,
    run: async ({ issue }) => {
      log.push(`show ${issue}`);
      return { data: { key: issue, status: "Open" }, text: `**${issue}** is open.` };
    },
  };
  const close: Tool<z.output<typeof Issue>> = {
    name: "jira.close_issue",
    description: "Close a Jira issue.",
    access: "write",
    input: Issue,
    examples: ["close {issue}"],
    summary: ({ issue }) => `Close ${issue}`,
    run: async ({ issue }, { http }) => {
      await meanwhile();
      if (issue === "KAY-1") return { data: { key: issue }, text: `${issue} is closed already.` };
      await http.request({ method: "POST", path: `/close/${issue}`, answer: z.unknown() });
      log.push(`close ${issue}`);
      return { data: { key: issue }, text: `${issue} is closed.`, url: `https://main.example.test/browse/${issue}` };
    },
  };
  const destroy: Tool<z.output<typeof Issue>> = {
    name: "jira.delete_issue",
    description: "Delete a Jira issue for good.",
    access: "destructive",
    input: Issue,
    examples: ["delete {issue}"],
    summary: ({ issue }) => `Delete ${issue} for good`,
    run: async ({ issue }) => {
      await meanwhile();
      log.push(`delete ${issue}`);
      return { data: { key: issue }, text: `${issue} is deleted.` };
    },
  };
  return [show, close, destroy] as unknown as Tool[];
}
