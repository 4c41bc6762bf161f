import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildBrowseUrl,
  formatIssueKey,
  getJiraApi,
  ISSUE_FIELD,
  ISSUE_TARGET,
  Issue,
  parseIssueKey,
} from "./issue.ts";
import { chooseTransition, isGoalReached, parseGoal, type Transition } from "./workflow.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  status: withDescription(
    z.string(),
    'Target: the name of a status such as "In Progress", or "close", "start" or "reopen".',
  ),
});

const Transitions = z.looseObject({
  transitions: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      to: z.looseObject({
        name: z.string(),
        statusCategory: z.nullish(z.looseObject({ key: z.nullish(z.string()) })),
      }),
    }),
  ),
});

/** Source: Jira Cloud REST v3, GET and POST /rest/api/3/issue/{issueIdOrKey}/transitions; the POST returns 204. */
export const transitionIssueTool = defineTool({
  name: "jira.transition_issue",
  description: "Move a Jira issue to another status: close it, start it, reopen it, or any status of its workflow.",
  access: "write",
  input: Input,
  examples: [
    "close {issue}",
    "resolve {issue}",
    "finish {issue}",
    "start {issue}",
    "reopen {issue}",
    "mark {issue} as {status}",
    "move {issue} to {status}",
    "set {issue} to {status}",
    "set the status of {issue} to {status}",
    "change {issue} to {status}",
    "transition {issue} to {status}",
  ],
  summary: ({ issue, status }) => `${parseGoal(status).words(formatIssueKey(issue))}`,
  ...ISSUE_TARGET,
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const url = buildBrowseUrl(site, key);
    const path = `${api}/issue/${encodeURIComponent(key)}`;
    const status = await fetchStatus(context, path);
    if (isGoalReached(input.status, status)) {
      return {
        data: { key, status: status.name, changed: false, url },
        text: `${key} is already ${status.name}.`,
        url,
      };
    }
    const transition = requireTransition(key, input.status, await getTransitions(context, path));
    await context.http.request({
      method: "POST",
      path: `${path}/transitions`,
      body: { transition: { id: transition.id } },
      answer: z.unknown(),
      scope: "write:jira-work",
    });
    const data = { key, from: status.name, status: transition.status, changed: true, url };
    return { data, text: `${key} is now ${transition.status} (it was ${status.name}).\n\n${url}`, url };
  },
});

async function fetchStatus(context: ToolContext, path: string): Promise<{ name: string; category?: string }> {
  const { fields } = await context.http.request({
    path,
    query: { fields: "status" },
    answer: Issue,
    scope: "read:jira-work",
  });
  return { name: fields.status?.name ?? "", category: fields.status?.statusCategory?.key ?? undefined };
}

async function getTransitions(context: ToolContext, path: string): Promise<Transition[]> {
  const request = { path: `${path}/transitions`, answer: Transitions, scope: "read:jira-work" };
  const { transitions } = await context.http.request(request);
  return transitions.map(({ id, name, to }) => ({
    id,
    name,
    status: to.name,
    category: to.statusCategory?.key ?? undefined,
  }));
}

function requireTransition(key: string, goal: string, transitions: Transition[]): Transition {
  const { found, matches } = chooseTransition(goal, transitions);
  if (found) return found;
  const formatStatuses = (list: Transition[]) => [...new Set(list.map(({ status }) => status))].join(", ");
  if (matches.length > 1) {
    throw new Problem(
      "INVALID_REQUEST",
      `“${goal}” could mean several statuses of ${key}: ${formatStatuses(matches)}.`,
      {
        hint: "Specify the status.",
      },
    );
  }
  const possible =
    transitions.length > 0 ? `It can move to: ${formatStatuses(transitions)}.` : "This account may not move it.";
  throw new Problem("INVALID_REQUEST", `${key} cannot move to “${goal}” now. ${possible}`, {
    hint: "Specify one of the statuses that it can move to.",
  });
}
