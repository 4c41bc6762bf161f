import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { FILE_KINDS } from "../google/drive-query.ts";
import {
  buildFileUrl,
  DriveFile,
  FILE_FIELDS,
  findFileToChange,
  formatFilePlace,
  toFileData,
} from "../google/files.ts";
import { escapeCell } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
  title: withDescription(z.string(), "Title of the new folder."),
  parent: withDescription(z.optional(z.string()), "Name, id or URL of the parent folder. Default: My Drive."),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, POST /drive/v3/files. */
export const createFolderTool = defineTool({
  name: "google-drive.create_folder",
  description: "Create a folder in Google Drive.",
  access: "write",
  input: Input,
  examples: [
    "create a folder called {title}",
    "create a folder {title} in {parent}",
    "make a folder named {title} in my drive",
    "new folder {title}",
    "add a folder called {title} in {parent}",
  ],
  summary: ({ title, parent }: Input) =>
    `Create the folder “${toOneLine(title)}” in ${parent?.trim() ? toOneLine(parent) : "My Drive"}`,
  resource: ({ parent }: Input) =>
    parent?.trim() ? formatPlace("in the folder", formatFilePlace(parent)) : "in My Drive",
  async run(input, context) {
    const { http } = context;
    const name = toOneLine(input.title);
    if (name === "") throw new Problem("INVALID_REQUEST", "A folder needs a name.", { details: { field: "title" } });
    const parent = input.parent?.trim() ? await findFileToChange(context, input.parent, "folder") : undefined;
    const folder = await http.request({
      method: "POST",
      path: "/drive/v3/files",
      query: { fields: FILE_FIELDS, supportsAllDrives: true },
      body: { name, mimeType: FILE_KINDS.folder, ...(parent ? { parents: [parent.id] } : {}) },
      answer: DriveFile,
      scope: "drive",
    });
    const web = http.endpoints.web ?? "";
    const url = buildFileUrl(folder, web);
    const where = parent ? ` in ${escapeCell(parent.name)}` : "";
    return { data: toFileData(folder, web), text: `Created the folder ${escapeCell(name)}${where}.\n\n${url}`, url };
  },
});

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
