import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toOneLine } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildBrowseUrl,
  describeIssue,
  formatIssueKey,
  formatIssueProjectPlace,
  getJiraApi,
  ISSUE_FIELD,
  parseIssueKey,
} from "./issue.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  relation: withDescription(
    z.string(),
    'Relation to the other issue: "blocks", "is blocked by", "relates to", "duplicates", or another of the site.',
  ),
  other: withDescription(z.string(), "Key of the other issue, such as KAY-4."),
});

const LinkTypes = z.looseObject({
  issueLinkTypes: z.array(z.looseObject({ name: z.string(), inward: z.string(), outward: z.string() })),
});

/**
 * Source: Jira Cloud REST v3, GET /rest/api/3/issueLinkType and POST /rest/api/3/issueLink, which returns 201 without a
 * body. In the POST, `inwardIssue` is the issue whose page shows the outward words: the one that blocks.
 */
export const linkIssuesTool = defineTool({
  name: "jira.link_issues",
  description: "Link a Jira issue to another: blocks, is blocked by, relates to, duplicates.",
  access: "write",
  input: Input,
  examples: ["link {issue} to {other}", "link {issue} with {other}", "link {issue} to {other} as {relation}"],
  summary: ({ issue, relation, other }) =>
    `Link issues: ${formatIssueKey(issue)} ${toOneLine(relation).toLowerCase()} ${formatIssueKey(other)}`,
  resource: ({ issue, other }) => {
    const [first, second] = [formatIssueProjectPlace(issue), formatIssueProjectPlace(other)];
    return first === second ? first : first && second && `${first} and ${second}`;
  },
  object: ({ issue, relation, other }) =>
    `${formatIssueKey(issue)} ${toOneLine(relation).toLowerCase()} ${formatIssueKey(other)}`,
  describeTarget: async ({ issue, relation, other }, context) => {
    const { words } = await findRelation(relation, context);
    return `${await describeIssue(issue, context)} ${words} ${await describeIssue(other, context)}`;
  },
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const [key, otherKey] = [parseIssueKey(input.issue), parseIssueKey(input.other)];
    if (key === otherKey) {
      throw new Problem("INVALID_REQUEST", `${key} cannot be linked to itself.`, { details: { field: "other" } });
    }
    const { type, words, isInward } = await findRelation(input.relation, context);
    const [inward, outward] = isInward ? [otherKey, key] : [key, otherKey];
    await context.http.request({
      method: "POST",
      path: `${api}/issueLink`,
      body: { type: { name: type }, inwardIssue: { key: inward }, outwardIssue: { key: outward } },
      answer: z.unknown(),
      scope: "write:jira-work",
    });
    const url = buildBrowseUrl(site, key);
    return {
      data: { key, relation: words, other: otherKey, url },
      text: `${key} ${words} ${otherKey}.\n\n${url}`,
      url,
    };
  },
});

/** Finds a relation by its words in either direction, or by the name of its type. @throws Problem INVALID_REQUEST */
async function findRelation(relation: string, context: ToolContext) {
  const path = `${getJiraApi(context).api}/issueLinkType`;
  const { issueLinkTypes: types } = await context.http.request({ path, answer: LinkTypes, scope: "read:jira-work" });
  const relationName = toOneLine(relation).toLowerCase();
  const find = (...names: ("outward" | "inward" | "name")[]) =>
    types.find((type) => names.some((name) => type[name].toLowerCase() === relationName));
  const forward = find("outward") ?? (find("inward") ? undefined : find("name"));
  if (forward) return { type: forward.name, words: forward.outward, isInward: false };
  const inwardType = find("inward");
  if (inwardType) return { type: inwardType.name, words: inwardType.inward, isInward: true };
  const all = [...new Set(types.flatMap(({ outward, inward }) => [outward, inward]))].join(", ");
  throw new Problem("INVALID_REQUEST", `Jira has no relation “${toOneLine(relation)}”. Available: ${all || "none"}.`, {
    hint: "Specify one of these.",
    details: { field: "relation" },
  });
}
