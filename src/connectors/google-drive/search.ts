import * as z from "zod/mini";
import {
  type DriveFile,
  FILE_KINDS,
  type FileKind,
  findFile,
  findFiles,
  formatFileTable,
  toFileData,
} from "../google/files.ts";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../service.ts";

const Input = z.object({
  text: withDescription(z.optional(z.string()), "Words in the name or content."),
  kind: withDescription(
    z.optional(z.enum(["document", "spreadsheet", "presentation", "pdf"])),
    "Type of file: document, spreadsheet, presentation or pdf.",
  ),
  folder: withDescription(z.optional(z.string()), "Name, id or URL of the folder to search in."),
  limit: withDescription(
    z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(100))),
    "Maximum number of files. Default: 20.",
  ),
});
type Input = z.output<typeof Input>;

/** Source: Drive API v3, GET /drive/v3/files. */
export const searchTool = defineTool({
  name: "google-drive.search",
  description: "Find files in Google Drive by words, type or folder, or list the newest files.",
  access: "read",
  input: Input,
  examples: [
    "find files about {text}",
    "search my drive for {text}",
    "search google drive for {text}",
    "list my files",
    "show recent files in my drive",
    "what files are in folder {folder}",
    "list the files in folder {folder}",
    "which {kind} files mention {text}",
    "find the file {text}",
  ],
  summary: (input: Input) => `Search Google Drive for ${describeSearch(input)}`,
  async run(input, context) {
    const { http } = context;
    const folder = input.folder?.trim() ? await findFile(context, input.folder, "folder") : undefined;
    const filter = { text: input.text, kind: input.kind as FileKind | undefined, parent: folder?.id };
    const { files, more } = await findFiles(http, filter, input.limit ?? 20);
    const data = { files: files.map((file) => toFileData(file, http.endpoints.web ?? "")), more };
    const text = formatResult(files, more, escapeCell(describeSearch(input, files.length)), http.endpoints.web ?? "");
    return { data, text, url: folder?.webViewLink ?? `${http.endpoints.web}/drive/my-drive` };
  },
});

function describeSearch({ text, kind, folder }: Input, number = 2): string {
  const noun = kind === undefined ? "file" : kind in FILE_KINDS && kind !== "pdf" ? kind : "PDF";
  const about = text?.trim() ? ` about “${text.trim()}”` : "";
  return `${noun}${number === 1 ? "" : "s"}${about}${folder?.trim() ? ` in ${folder.trim()}` : ""}`;
}

function formatResult(files: DriveFile[], more: boolean, what: string, web: string): string {
  if (files.length === 0) return `No ${what}.`;
  const head = more ? `The first ${files.length} ${what}; there are more:` : `${files.length} ${what}:`;
  return `${head}\n\n${formatFileTable(files, web)}`;
}
