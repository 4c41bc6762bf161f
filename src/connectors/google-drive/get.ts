import * as z from "zod/mini";
import { buildFileUrl, type DriveFile, findFile, getFileKind, getOwnerName, toFileData } from "../google/files.ts";
import { escapeCell, truncateText } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";

const Input = z.object({
  file: withDescription(z.string(), "Name, id or URL of the file or folder."),
});
type Input = z.output<typeof Input>;

const Access = z.looseObject({
  trashed: z.nullish(z.boolean()),
  permissions: z.nullish(
    z.array(
      z.looseObject({
        type: z.string(),
        role: z.string(),
        emailAddress: z.nullish(z.string()),
        domain: z.nullish(z.string()),
        deleted: z.nullish(z.boolean()),
      }),
    ),
  ),
});
type Permission = NonNullable<z.output<typeof Access>["permissions"]>[number];

/** Source: Drive API v3, GET /drive/v3/files/{fileId}. */
export const getFileTool = defineTool({
  name: "google-drive.get_file",
  description: "Show one file of Google Drive: its type, its owner, and who can open it.",
  access: "read",
  input: Input,
  examples: [
    "show the file {file}",
    "who can open the file {file}",
    "who owns the file {file}",
    "who is the file {file} shared with",
    "where is the file {file}",
  ],
  summary: ({ file }: Input) => `Show ${escapeCell(file)} in Google Drive`,
  async run(input, context) {
    const { http } = context;
    const file = await findFile(context, input.file);
    // Google lists permissions only for users who may share the file.
    const { permissions, trashed } = await http.request({
      path: `/drive/v3/files/${encodeURIComponent(file.id)}`,
      query: { fields: "trashed,permissions(type,role,emailAddress,domain,deleted)", supportsAllDrives: true },
      answer: Access,
      scope: "drive",
    });
    // Google keeps the permissions of accounts that were deleted.
    const shared = permissions?.filter(({ deleted }) => deleted !== true).map(formatPermission);
    const web = http.endpoints.web ?? "";
    return {
      data: { ...toFileData(file, web), shared_with: shared, ...(trashed ? { trashed } : {}) },
      text: formatFile(file, shared, trashed === true, web),
      url: buildFileUrl(file, web),
    };
  },
});

function formatPermission({ type, role, emailAddress, domain }: Permission): string {
  const who = type === "anyone" ? "anyone with the link" : (emailAddress ?? domain ?? type);
  return `${who} (${role})`;
}

function formatFile(file: DriveFile, shared: string[] | undefined, isTrashed: boolean, web: string): string {
  const facts: [string, string | undefined][] = [
    ["Kind", getFileKind(file)],
    ["State", isTrashed ? "in the trash" : undefined],
    ["Owner", getOwnerName(file)],
    ["Changed", file.modifiedTime?.slice(0, 10)],
    ["Size", file.size ? `${file.size} bytes` : undefined],
    ["Open to", shared?.join(", ")],
    ["About", file.description ? truncateText(file.description, 300) : undefined],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [`- ${name}: ${escapeCell(value)}`] : []));
  return [`**${escapeCell(file.name)}**`, lines.join("\n"), buildFileUrl(file, web)].join("\n\n");
}
