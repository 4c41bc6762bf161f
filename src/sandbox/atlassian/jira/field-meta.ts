import type { Hono } from "hono";
import type { ProviderContext } from "../../provider.ts";
import { requireScope, type SiteEnv } from "../gateway.ts";
import type { AtlassianState } from "../state.ts";
import { findIssue, toViewContext } from "./issue.ts";
import { ISSUE_TYPES, PRIORITIES } from "./schemes.ts";
import { getFieldNames, toPriorityView, type ViewContext } from "./views.ts";

const TYPES: Record<string, { type: string; items?: string }> = {
  summary: { type: "string" },
  description: { type: "string" },
  priority: { type: "priority" },
  assignee: { type: "user" },
  reporter: { type: "user" },
  labels: { type: "array", items: "string" },
  duedate: { type: "date" },
  parent: { type: "issuelink" },
};

/**
 * The fields of an issue's forms (developer.atlassian.com/cloud/jira/platform/rest/v3, "Get create field metadata" and
 * "Get edit issue metadata").
 */
export function registerFieldMetaRoutes(app: Hono<SiteEnv>, provider: ProviderContext<AtlassianState>): void {
  const read = requireScope("read:jira-work");
  app.get("/issue/createmeta/:key/issuetypes/:type", read, (c) => {
    const type = ISSUE_TYPES.find(({ id }) => id === c.req.param("type"));
    const fields = type ? listFields(toViewContext(c, provider)) : [];
    return c.json({ startAt: 0, maxResults: 50, total: fields.length, fields });
  });
  app.get("/issue/:key/editmeta", read, (c) => {
    findIssue(c);
    const fields = listFields(toViewContext(c, provider)).map((field) => [field.fieldId, field]);
    return c.json({ fields: Object.fromEntries(fields) });
  });
}

function listFields(view: ViewContext) {
  const names = getFieldNames(Object.keys(TYPES));
  return Object.entries(TYPES).map(([id, schema]) => ({
    required: id === "summary",
    schema: { ...schema, system: id },
    name: names[id] ?? id,
    key: id,
    fieldId: id,
    hasDefaultValue: id === "priority",
    operations: schema.type === "array" ? ["add", "set", "remove"] : ["set"],
    ...(id === "priority" ? { allowedValues: PRIORITIES.map(({ name }) => toPriorityView(view, name)) } : {}),
  }));
}
