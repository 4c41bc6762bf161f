import * as z from "zod/mini";
import { DriveFile, describeFile, FILE_FIELDS, findEntryToChange } from "../google/files.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
  file: withDescription(z.string(), "Name, id or URL of the file or folder."),
});
type Input = z.output<typeof Input>;

/**
 * Source: Drive API v3, PATCH /drive/v3/files/{fileId}. Trashed files disappear for everyone and are deleted after 30
 * days.
 */
export const trashFileTool = defineTool({
  name: "google-drive.trash_file",
  description:
    "Delete a file or folder of Google Drive: it goes to the trash, for everybody, and is gone after 30 days.",
  access: "destructive",
  input: Input,
  examples: [
    "delete the file {file}",
    "delete the folder {file}",
    "trash {file}",
    "move {file} to the trash",
    "remove the file {file} from my drive",
  ],
  summary: ({ file }: Input) => `Move ${escapeCell(file)} to the trash of Google Drive for everyone`,
  describeTarget: async ({ file }, context) => describeFile(await findEntryToChange(context, file)),
  async run(input, context) {
    const file = await findEntryToChange(context, input.file);
    const { id, name } = await context.http.request({
      method: "PATCH",
      path: `/drive/v3/files/${encodeURIComponent(file.id)}`,
      query: { fields: FILE_FIELDS, supportsAllDrives: true },
      body: { trashed: true },
      answer: DriveFile,
      scope: "drive",
    });
    const url = `${context.http.endpoints.web}/drive/trash`;
    return { data: { id, name, trashed: true, url }, text: `${escapeCell(name)} is in the trash.\n\n${url}`, url };
  },
});
