/**
 * A node of the Atlassian Document Format. Source: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
export type AdfNode = {
  type: string;
  attrs?: Record<string, unknown>;
  content?: AdfNode[];
  text?: string;
  marks?: AdfMark[];
};

/** How a text node looks: `strong`, `em`, `code`, `strike`, `link` … */
export type AdfMark = { type: string; attrs?: Record<string, unknown> };

/** A whole document, as Jira takes it for descriptions and comments. */
export type AdfDocument = { type: "doc"; version: 1; content: AdfNode[] };
