import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { markdownToHtml } from "../markup/html.ts";
import { escapeCell, quoteText, toOneLine } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../tool.ts";
import {
  buildPageUrl,
  describePage,
  formatPagePlace,
  getConfluenceApi,
  PAGE_FIELD,
  Page,
  parseTitle,
  readPage,
  SPACE_FIELD,
} from "./page.ts";

const Input = z.object({
  page: PAGE_FIELD,
  text: withDescription(z.optional(z.string()), "Text to append or to replace the content with, as text or Markdown."),
  mode: withDescription(
    z.optional(z.enum(["append", "replace"])),
    "append (default) adds the text at the end of the page; replace overwrites the whole content.",
  ),
  title: withDescription(z.optional(z.string()), "The new title."),
  version: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1))),
    "The version that was read. Nothing is changed if a newer one exists.",
  ),
  space: SPACE_FIELD,
});
type Input = z.output<typeof Input>;

/** Attempts to append. If another user changes the page meanwhile, it is read again. */
const ATTEMPTS = 3;

/**
 * Source: Confluence Cloud REST v2, PUT /wiki/api/v2/pages/{id} with the next version number; 409 means that another
 * user saved first. Previous versions stay in the page's history.
 */
export const updatePageTool = defineTool({
  name: "confluence.update_page",
  description: "Append text to a Confluence page, replace its content, or rename it.",
  access: "write",
  input: Input,
  examples: [
    "append to the confluence page {page}: {text}",
    "add to the confluence page {page}: {text}",
    "add {text} to the confluence page {page}",
    "add {text} to the page {page} in confluence",
    "append {text} to the page {page} in space {space}",
    "rename the confluence page {page} to {title}",
    "update the confluence page {page}: {text}",
    "add {text} to the end of the page {page} in confluence",
    "add {text} to the {page} page in confluence",
  ],
  summary: describeCall,
  // An approval to append does not cover replacing or renaming.
  resource: ({ page, space, mode, title }) =>
    mode === "replace" || title !== undefined ? undefined : formatPagePlace("on the page", { page, space }),
  placeIsTarget: true,
  describeTarget: (input, context) => describePage(context, input),
  async run(input, context) {
    const addition = markdownToHtml(input.text ?? "");
    const title = input.title?.trim() ? parseTitle(input.title) : undefined;
    if (addition === "" && title === undefined) {
      throw new Problem("INVALID_REQUEST", "A text or a new title is required.", {
        hint: "Specify a text or a new title.",
        details: { field: "text" },
      });
    }
    const page = await writeChange(input, { added: addition, title }, context);
    const url = buildPageUrl(page, getConfluenceApi(context).site);
    const verb = addition === "" ? "Renamed" : input.mode === "replace" ? "Rewrote" : "Added to";
    const data = { id: page.id, title: page.title, version: page.version?.number ?? null, url };
    return { data, text: `${verb} the page ${escapeCell(page.title)}.\n\n${url}`, url };
  },
});

type Change = { added: string; title: string | undefined };

async function writeChange(input: Input, change: Change, context: ToolContext): Promise<Page> {
  const [first, replaces] = [await readPage(context, input), input.mode === "replace" && change.added !== ""];
  let page = first;
  for (let attempt = 1; ; attempt++) {
    const now = page.version?.number ?? 1;
    if (input.version !== undefined && now > input.version) throw versionConflictProblem(page, input.version);
    try {
      return await putPage(page, now + 1, change, replaces, context);
    } catch (error) {
      if (!(error instanceof Problem) || error.details.service_status !== 409) throw error;
      if (replaces || attempt === ATTEMPTS) throw versionConflictProblem(page, now, error);
      page = await readPage(context, { page: first.id });
    }
  }
}

function putPage(page: Page, number: number, { added, title }: Change, replaces: boolean, context: ToolContext) {
  const oldContent = page.body?.storage?.value;
  if (typeof oldContent !== "string" && !replaces) throw unreadablePageProblem(page);
  return context.http.request({
    method: "PUT",
    path: `${getConfluenceApi(context).api}/pages/${encodeURIComponent(page.id)}`,
    body: {
      id: page.id,
      status: "current",
      title: title ?? page.title,
      body: { representation: "storage", value: replaces ? added : withEnd(oldContent ?? "", added) },
      version: { number, message: "Changed with kay" },
    },
    answer: Page,
    scope: "write:page:confluence",
  });
}

/** A page with layouts accepts only sections, so the text becomes one. */
function withEnd(storage: string, addition: string): string {
  if (addition === "" || !/<\/ac:layout>\s*$/.test(storage)) return storage + addition;
  const section = `<ac:layout-section ac:type="fixed-width"><ac:layout-cell>${addition}</ac:layout-cell></ac:layout-section>`;
  return storage.replace(/<\/ac:layout>\s*$/, () => `${section}</ac:layout>`);
}

/** Creates the error for a page without a body: every update writes the whole page, so its content would be lost. */
function unreadablePageProblem(page: Page): Problem {
  return new Problem(
    "SERVICE_FAILED",
    `Confluence did not return the content of “${escapeCell(page.title)}”. Nothing was written.`,
    {
      hint: "Open the page in Confluence and change it there.",
      details: { service: "confluence" },
    },
  );
}

function versionConflictProblem(page: Page, version: number, cause?: Problem): Problem {
  const sentence = `The page “${escapeCell(page.title)}” changed after version ${version}. Nothing was written.`;
  return new Problem("SERVICE_FAILED", sentence, {
    hint: "Read the page again, then change it.",
    details: { service: "confluence", service_status: 409, field: "version" },
    cause,
  });
}

function describeCall({ page, text, mode, title, space }: Input): string {
  const where = `the Confluence page “${toOneLine(page)}”${space?.trim() ? ` in ${toOneLine(space)}` : ""}`;
  const says = text?.trim() ? quoteText(text, 300) : "";
  const renamed = title?.trim() ? `call it “${toOneLine(title)}”` : "";
  if (says === "") return `Change ${where}: ${renamed || "nothing"}`;
  const action = mode === "replace" ? `Replace the content of ${where} with ${says}` : `Append to ${where}: ${says}`;
  return renamed ? `${action} (and ${renamed})` : action;
}
