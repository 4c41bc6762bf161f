import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { toAdf } from "../atlassian/adf/write.ts";
import { quoteText, toOneLine } from "../markup/markdown.ts";
import { parseInstant } from "../time.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildBrowseUrl, formatIssueKey, getJiraApi, ISSUE_FIELD, ISSUE_TARGET, parseIssueKey } from "./issue.ts";

const Input = z.object({
  issue: ISSUE_FIELD,
  time: withDescription(
    z.string().check(z.regex(/^\s*\d/, "a length such as 2h 30m")),
    "Time spent, such as 2h 30m or 1d.",
  ),
  started: withDescription(z.optional(z.string()), "Day or time when it began. Default: now."),
  comment: withDescription(z.optional(z.string()), "Description of the work."),
});

const Worklog = z.looseObject({ id: z.string(), timeSpent: z.nullish(z.string()) });

/** Source: Jira Cloud REST v3, POST /rest/api/3/issue/{issueIdOrKey}/worklog. */
export const logWorkTool = defineTool({
  name: "jira.log_work",
  description: "Log time that was spent on a Jira issue.",
  access: "write",
  input: Input,
  examples: ["log {time} on {issue}", "log {time} of work on {issue}", "log {time} on {issue}: {comment}"],
  summary: ({ issue, time, started, comment }) => {
    const when = started?.trim() ? ` from ${toOneLine(started)}` : "";
    const quotedComment = comment?.trim() ? `: ${quoteText(comment, 200)}` : "";
    return `Log ${toOneLine(time)} on ${formatIssueKey(issue)}${when}${quotedComment}`;
  },
  ...ISSUE_TARGET,
  async run(input, context) {
    const { api, site } = getJiraApi(context);
    const key = parseIssueKey(input.issue);
    const timeSpent = parseDuration(input.time);
    const zone = context.timeZone ?? "UTC";
    const started = input.started?.trim()
      ? Date.parse(parseInstant(input.started, "started", zone))
      : context.clock.now();
    const comment = input.comment?.trim() ? toAdf(input.comment, "comment") : undefined;
    const worklog = await context.http.request({
      method: "POST",
      path: `${api}/issue/${encodeURIComponent(key)}/worklog`,
      body: {
        timeSpent,
        // Jira accepts no "Z".
        started: new Date(started).toISOString().replace("Z", "+0000"),
        ...(comment ? { comment } : {}),
      },
      answer: Worklog,
      scope: "write:jira-work",
    });
    const url = buildBrowseUrl(site, key);
    const time = worklog.timeSpent ?? timeSpent;
    return { data: { key, worklog: worklog.id, time, url }, text: `Logged ${time} on ${key}.\n\n${url}`, url };
  },
});

const PART =
  /(\d{1,6}(?:[.,]\d{1,6})?)\s*(?:(w)(?:eeks?)?|(d)(?:ays?)?|(h)(?:ours?|rs?)?|(m)(?:in(?:ute)?s?)?)(?![a-z])/gi;

/**
 * Parses a length of time for Jira: `90 minutes` is 90m, `1.5 hours` is 1h 30m. The length of a day depends on the
 * site.
 *
 * @throws Problem INVALID_REQUEST
 */
function parseDuration(text: string): string {
  const parts = [...text.matchAll(PART)];
  const rest = text.replace(PART, "").replace(/\band\b|[\s,]/gi, "");
  const units = parts.map(([, count = "", ...names]): string => {
    const [number, name] = [Number(count.replace(",", ".")), names.join("").toLowerCase()];
    if (Number.isInteger(number)) return `${number}${name}`;
    const minutes = Math.round(number * 60);
    return name === "h"
      ? [`${Math.floor(minutes / 60)}h`, `${minutes % 60}m`].filter((amount) => !/^0/.test(amount)).join(" ")
      : "";
  });
  if (rest === "" && units.length > 0 && units.every((unit) => /[1-9]/.test(unit))) return units.join(" ");
  throw new Problem("INVALID_REQUEST", `“${toOneLine(text)}” is not a length of time.`, {
    hint: "Write it in weeks, days, hours and minutes, such as 2h 30m.",
    details: { field: "time" },
  });
}
