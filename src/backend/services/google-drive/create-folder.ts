import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describe } from "../fields.ts";
import { DriveFile, FILE_FIELDS, fileData, fileOf, fileUrl, KINDS, namedFile } from "../google/files.ts";
import { cell } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";

const Input = z.object({
  title: describe(z.string(), "Title of the new folder."),
  parent: describe(z.optional(z.string()), "Name, id or address of the folder to put it in; My Drive when left out."),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, POST /drive/v3/files. */
export const createFolder = defineTool({
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
    `Create the folder “${oneLine(title)}” in ${parent?.trim() ? oneLine(parent) : "My Drive"}`,
  resource: ({ parent }: Input) => (parent?.trim() ? placed("in the folder", namedFile(parent)) : "in My Drive"),
  async run(input, context) {
    const { http } = context;
    const name = oneLine(input.title);
    if (name === "") throw new Problem("INVALID_REQUEST", "A folder needs a name.", { details: { field: "title" } });
    const parent = input.parent?.trim() ? await fileOf(context, input.parent, "folder") : undefined;
    const folder = await http.request({
      method: "POST",
      path: "/drive/v3/files",
      query: { fields: FILE_FIELDS, supportsAllDrives: true },
      body: { name, mimeType: KINDS.folder, ...(parent ? { parents: [parent.id] } : {}) },
      answer: DriveFile,
      scope: "drive",
    });
    const web = http.endpoints.web ?? "";
    const url = fileUrl(folder, web);
    const where = parent ? ` in ${cell(parent.name)}` : "";
    return { data: fileData(folder, web), text: `Created the folder ${cell(name)}${where}.\n\n${url}`, url };
  },
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
