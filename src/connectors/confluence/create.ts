import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { markdownToHtml } from "../markup/html.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildPageUrl,
  formatPagePlace,
  formatSpaceName,
  getConfluenceApi,
  Page,
  parseTitle,
  readPage,
} from "./page.ts";
import { findSpace } from "./spaces.ts";

const Input = z.object({
  title: withDescription(z.string(), "Title of the new page."),
  space: withDescription(
    z.optional(z.string()),
    "Key or name of the space, such as DOCS. Default: the parent's space.",
  ),
  text: withDescription(z.optional(z.string()), "Content, as text or Markdown."),
  parent: withDescription(z.optional(z.string()), "Title, id or URL of the parent page."),
});
type Input = z.output<typeof Input>;

/** Source: Confluence Cloud REST v2, POST /wiki/api/v2/pages. */
export const createPageTool = defineTool({
  name: "confluence.create_page",
  description: "Create a Confluence page in a space, or under another page.",
  access: "write",
  input: Input,
  examples: [
    "create a confluence page in {space} called {title}",
    "create a confluence page {title} in {space}",
    "create a page in space {space} called {title}",
    "create a page {title} in space {space}",
    "create a page called {title} in the space {space} saying {text}",
    "new confluence page {title} in {space}: {text}",
    "new page in space {space}: {title}",
    "write a confluence page called {title} in {space} saying {text}",
  ],
  summary: describeCall,
  resource: ({ space, parent }) =>
    parent?.trim()
      ? formatPagePlace("under the page", { page: parent, space })
      : formatPlace("in space", space?.trim() ? formatSpaceName(space) : undefined),
  async run(input, context) {
    const title = parseTitle(input.title);
    const { api, site } = getConfluenceApi(context);
    const { spaceId, parentId } = await getPlace(input, context);
    const page = await context.http.request({
      method: "POST",
      path: `${api}/pages`,
      body: {
        spaceId,
        status: "current",
        title,
        ...(parentId === undefined ? {} : { parentId }),
        body: { representation: "storage", value: markdownToHtml(input.text ?? "") },
      },
      answer: Page,
      scope: "write:page:confluence",
    });
    const url = buildPageUrl(page, site);
    return {
      data: { id: page.id, title, version: 1, url },
      text: `Created the page ${escapeCell(title)}.\n\n${url}`,
      url,
    };
  },
});

/** Resolves space and parent to IDs. Confluence requires a parent in the same space. @throws Problem INVALID_REQUEST */
async function getPlace(
  { space, parent }: Input,
  context: ToolContext,
): Promise<{ spaceId: string; parentId?: string }> {
  const namedSpace = space?.trim() ? await findSpace(context, space) : undefined;
  if (!parent?.trim()) {
    if (namedSpace) return { spaceId: namedSpace.id };
    throw new Problem("INVALID_REQUEST", "A space or a parent page is required.", {
      hint: "Specify the space by its key.",
      details: { field: "space" },
    });
  }
  const parentPage = await readPage(context, { page: parent, space: namedSpace?.key });
  const spaceId = parentPage.spaceId ?? namedSpace?.id ?? "";
  if (!namedSpace || namedSpace.id === spaceId) return { spaceId, parentId: parentPage.id };
  throw new Problem(
    "INVALID_REQUEST",
    `The page “${escapeCell(parentPage.title)}” is not in the space ${namedSpace.key}.`,
    {
      hint: "Choose a page of that space, or omit the space.",
      details: { field: "parent" },
    },
  );
}

function describeCall({ title, space, parent, text }: Input): string {
  const where = [
    parent?.trim() ? ` under “${toOneLine(parent)}”` : "",
    space?.trim() ? ` in ${toOneLine(space)}` : "",
  ].join("");
  const says = text?.trim() ? `: ${quoteText(text, 300)}` : "";
  return `Create the Confluence page “${toOneLine(title)}”${where}${says}`;
}
