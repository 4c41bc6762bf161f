import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { markdownToHtml } from "../markup/html.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, type ToolContext, withDescription } from "../service.ts";
import { buildPageUrl, formatPagePlace, getConfluenceApi, Page, parseTitle, readPage } from "./page.ts";

const Input = z.object({
  page: withDescription(z.string(), "Title, id or address of the page."),
  text: withDescription(z.optional(z.string()), "What is added or what it is to say, as text or Markdown."),
  mode: withDescription(
    z.optional(z.enum(["append", "replace"])),
    "append (default) puts the text at the end of the page, replace puts it in place of all that stands there.",
  ),
  title: withDescription(z.optional(z.string()), "Its new title."),
  version: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1))),
    "Number of the version that was read; nothing is changed when there is a newer one.",
  ),
  space: withDescription(z.optional(z.string()), "Key of the space, when several have a page of that title."),
});
type Input = z.output<typeof Input>;

/** What is added is added to whatever stands there, so a page that others write on at the same time is read again, so many times. */
const ATTEMPTS = 3;

/**
 * Source: Confluence Cloud REST v2, PUT /wiki/api/v2/pages/{id}, with the number of the next version; 409 says that somebody was faster. The
 * versions before stay in the history of the page.
 */
export const updatePageTool = defineTool({
  name: "confluence.update_page",
  description: "Add text at the end of a Confluence page, replace what it says, or rename it.",
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
  ],
  summary: describeCall,
  resource: ({ page, space }: Input) =>
    formatPagePlace("on the page", { page, ...(space === undefined ? {} : { space }) }),
  async run(input, context) {
    const added = markdownToHtml(input.text ?? "");
    const title = input.title?.trim() ? parseTitle(input.title) : undefined;
    if (added === "" && title === undefined) {
      throw new Problem("INVALID_REQUEST", "What is to change about the page is not said.", {
        hint: "Give a text or a new title.",
        details: { field: "text" },
      });
    }
    const page = await write(input, { added, title }, context);
    const url = buildPageUrl(page, getConfluenceApi(context).site);
    const verb = added === "" ? "Renamed" : input.mode === "replace" ? "Rewrote" : "Added to";
    const data = { id: page.id, title: page.title, version: page.version?.number ?? null, url };
    return { data, text: `${verb} the page ${escapeCell(page.title)}.\n\n${url}`, url };
  },
});

type Change = { added: string; title: string | undefined };

async function write(input: Input, change: Change, context: ToolContext): Promise<Page> {
  const [first, replaces] = [await readPage(context, input), input.mode === "replace" && change.added !== ""];
  let page = first;
  for (let attempt = 1; ; attempt++) {
    const now = page.version?.number ?? 1;
    if (input.version !== undefined && now > input.version) throw overtaken(page, input.version);
    try {
      return await put(page, now + 1, change, replaces, context);
    } catch (error) {
      if (!(error instanceof Problem) || error.details.service_status !== 409) throw error;
      if (replaces || attempt === ATTEMPTS) throw overtaken(page, now, error);
      page = await readPage(context, { page: first.id });
    }
  }
}

function put(page: Page, number: number, { added, title }: Change, replaces: boolean, context: ToolContext) {
  const before = page.body?.storage?.value;
  if (before === undefined && !replaces) throw unread(page);
  return context.http.request({
    method: "PUT",
    path: `${getConfluenceApi(context).api}/pages/${encodeURIComponent(page.id)}`,
    body: {
      id: page.id,
      status: "current",
      title: title ?? page.title,
      body: { representation: "storage", value: replaces ? added : withEnd(before ?? "", added) },
      version: { number, message: "Changed with kay" },
    },
    answer: Page,
    scope: "write:page:confluence",
  });
}

/** A page in columns takes sections only, so that the text becomes one. */
function withEnd(storage: string, added: string): string {
  if (added === "" || !/<\/ac:layout>\s*$/.test(storage)) return storage + added;
  const section = `<ac:layout-section ac:type="fixed-width"><ac:layout-cell>${added}</ac:layout-cell></ac:layout-section>`;
  return storage.replace(/<\/ac:layout>\s*$/, () => `${section}</ac:layout>`);
}

/** What was not given cannot be kept: the whole page is written each time. */
function unread(page: Page): Problem {
  return new Problem(
    "SERVICE_FAILED",
    `Confluence did not give what stands on “${escapeCell(page.title)}”; nothing was written.`,
    {
      hint: "Open the page in Confluence and change it there.",
      details: { service: "confluence" },
    },
  );
}

function overtaken(page: Page, version: number, cause?: Problem): Problem {
  const sentence = `The page “${escapeCell(page.title)}” was changed by somebody after version ${version}; nothing was written.`;
  return new Problem("SERVICE_FAILED", sentence, {
    hint: "Read the page again, then change it.",
    details: { service: "confluence", service_status: 409, field: "version" },
    cause,
  });
}

function describeCall({ page, text, mode, title, space }: Input): string {
  const where = `the Confluence page “${escapeCell(page)}”${space?.trim() ? ` in ${escapeCell(space)}` : ""}`;
  const says = text?.trim() ? `“${truncateText(escapeCell(text), 300)}”` : "";
  const renamed = title?.trim() ? `call it “${escapeCell(title)}”` : "";
  if (says === "") return `Change ${where}: ${renamed || "nothing"}`;
  const what =
    mode === "replace" ? `Replace all that stands on ${where} by ${says}` : `Add to the end of ${where}: ${says}`;
  return renamed ? `${what} (and ${renamed})` : what;
}
