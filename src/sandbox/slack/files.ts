import type { Hono } from "hono";
import { describeFile, readFormFiles, type SandboxFile } from "../files.ts";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import { addMessage } from "./chat.ts";
import { type MethodCall, registerMethod, SlackError } from "./method.ts";
import type { SlackState } from "./state.ts";

/** A file that was announced, and uploaded once it has `file`. */
type Upload = { user: string; filename: string; length: number; file?: SandboxFile };

/** Files are uploaded in three steps (docs.slack.dev/messaging/working-with-files). */
export function registerFileMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  const uploads = new Map<string, Upload>();
  registerMethod(app, provider, "files.getUploadURLExternal", "files:write", ({ args, me, request }) => {
    const { filename = "", length = "" } = args;
    if (filename === "" || !/^[1-9]\d*$/.test(length)) throw new SlackError("invalid_arguments");
    const id = `F0${Buffer.from(provider.random(5)).toString("hex").toUpperCase()}`;
    uploads.set(id, { user: me.id, filename, length: Number(length) });
    return { upload_url: `${new URL(request.url).origin}/upload/v1/${id}`, file_id: id };
  });
  app.post("/upload/v1/:id", async (c) => {
    const id = c.req.param("id");
    const upload = uploads.get(id);
    if (!upload) return c.text("Not found", 404);
    const isForm = c.req.header("content-type")?.startsWith("multipart/form-data");
    const [sent] = isForm ? await readFormFiles(c.req.raw) : [];
    const bytes = isForm ? sent?.bytes : new Uint8Array(await c.req.arrayBuffer());
    if (bytes?.byteLength !== upload.length) return c.text("Bad length", 400);
    upload.file = describeFile(id, upload.filename, "application/octet-stream", bytes);
    return c.text(`OK - ${bytes.byteLength}`);
  });
  registerMethod(app, provider, "files.completeUploadExternal", "files:write", (call) => complete(call, uploads));
}

function complete(call: MethodCall, uploads: Map<string, Upload>): Record<string, unknown> {
  const { args, me, request } = call;
  const wanted = parseFiles(args.files);
  const files = wanted.map(({ id, title }) => {
    const { user, file } = uploads.get(id) ?? {};
    if (user !== me.id || !file) throw new SlackError("file_not_found");
    return { ...file, filename: title ?? file.filename };
  });
  const origin = new URL(request.url).origin;
  if (args.channel_id) {
    const { initial_comment: text = "", thread_ts } = args;
    addMessage({ ...call, args: { channel: args.channel_id, text, thread_ts } }, files);
  }
  for (const { id } of files) uploads.delete(id);
  return {
    files: files.map(({ id, filename, size }) => ({
      ...{ id, title: filename, name: filename, size, user: me.id },
      permalink: `${origin}/files/${me.id}/${id}/${encodeURIComponent(filename)}`,
    })),
  };
}

function parseFiles(text: string | undefined): { id: string; title?: string }[] {
  try {
    const files: unknown = JSON.parse(text ?? "");
    if (Array.isArray(files) && files.length > 0 && files.every((file) => typeof file?.id === "string")) return files;
  } catch {
    // The same answer as for a list without IDs.
  }
  throw new SlackError("invalid_arguments");
}
