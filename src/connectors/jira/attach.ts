import * as z from "zod/mini";
import { Attachments, encodeForm, formatAttachments, loadAttachments } from "../attachments.ts";
import { defineTool } from "../tool.ts";
import { buildBrowseUrl, formatIssueKey, getJiraApi, ISSUE_FIELD, ISSUE_TARGET, parseIssueKey } from "./issue.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  attachments: Attachments,
});

const Added = z.array(z.looseObject({ id: z.string(), filename: z.nullish(z.string()) }));

/** Source: Jira Cloud REST v3, POST /rest/api/3/issue/{issueIdOrKey}/attachments. */
export const addAttachmentTool = defineTool({
  name: "jira.add_attachment",
  description: "Attach files of this conversation to a Jira issue.",
  access: "write",
  input: Input,
  takesAttachments: true,
  examples: [
    "attach {attachments} to {issue}",
    "add {attachments} to {issue}",
    "upload {attachments} to {issue}",
    "add the attachment {attachments} to {issue}",
  ],
  summary: ({ issue, attachments }) => `Attach ${formatAttachments(attachments)} to ${formatIssueKey(issue)}`,
  ...ISSUE_TARGET,
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const { body, type } = encodeForm("file", await loadAttachments(context, input.attachments));
    const attachments = await context.http.request({
      method: "POST",
      path: `${api}/issue/${encodeURIComponent(key)}/attachments`,
      // Jira rejects a form without this header, as a protection against CSRF.
      headers: { "content-type": type, "x-atlassian-token": "no-check" },
      body,
      answer: Added,
      scope: "write:jira-work",
    });
    const url = buildBrowseUrl(site, key);
    const names = attachments.map(({ filename, id }) => filename ?? id);
    return { data: { key, attachments: names, url }, text: `Attached to ${key}.\n\n${url}`, url };
  },
});
