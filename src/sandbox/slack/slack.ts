import type { Hono } from "hono";
import { html } from "hono/html";
import { describeFile, readFormFiles, type SandboxFile } from "../files.ts";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { renderEntry, sendWebPage } from "../web-page.ts";
import { buildSlack } from "./build.ts";
import { addMessage, registerChatMethods } from "./chat.ts";
import { registerConversationMethods } from "./conversations.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { type MethodCall, paginate, registerMethod, slackError } from "./method.ts";
import { registerSearchMethods } from "./search.ts";
import { SlackSeed } from "./seed.ts";
import { isIm, type Reply, type SlackState } from "./state.ts";
import { toUserView } from "./views.ts";

/** Scopes of user tokens in words (docs.slack.dev/reference/scopes). */
const SCOPES: Record<string, string> = {
  "channels:read": "See public channels and what they are about",
  "channels:history": "Read messages in public channels",
  "channels:write": "Join, leave and manage public channels for you",
  "groups:read": "See your private channels",
  "groups:history": "Read messages in your private channels",
  "im:read": "See your direct messages",
  "im:history": "Read your direct messages",
  "im:write": "Start direct messages for you",
  "mpim:read": "See your group direct messages",
  "mpim:history": "Read your group direct messages",
  "chat:write": "Send messages as you",
  "files:write": "Upload, edit and delete files as you",
  "reactions:read": "See reactions to messages",
  "reactions:write": "React to messages as you",
  "search:read": "Search what you can see",
  "users:read": "See the people of the workspace",
  "users:read.email": "See people's e-mail addresses",
  "team:read": "See the name and address of the workspace",
};

const failure = (error: string) => ({ status: 200 as const, body: { ok: false, error } });

/**
 * OAuth 2.0 at Slack for user tokens, with token rotation (docs.slack.dev/authentication/installing-with-oauth and
 * …/using-token-rotation): a code returns the tokens in `authed_user`, a refresh returns them beside it, and each
 * refresh spends its token.
 */
const oauth: OAuthTraits = {
  authorizePath: "/oauth/v2/authorize",
  tokenPath: "/api/oauth.v2.access",
  subject: () => "Slack",
  scopeParameter: "user_scope",
  scopes: SCOPES,
  accessSeconds: 43_200,
  refresh: "rotating",
  prefixes: { access: "xoxe.xoxp-1-", refresh: "xoxe-1-" },
  answer: ({ access, refresh, scopes, expiresIn, account }, grantType) => {
    const tokens = {
      access_token: access,
      token_type: "user",
      scope: scopes.join(","),
      expires_in: expiresIn,
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
    };
    const app = { ok: true, app_id: "A0KAYAPP01", enterprise: null, is_enterprise_install: false };
    if (grantType === "refresh_token") return { ...app, ...tokens, user_id: account };
    return { ...app, authed_user: { id: account, ...tokens } };
  },
  errors: {
    client: failure("bad_client_secret"),
    code: failure("invalid_code"),
    refresh: failure("invalid_refresh_token"),
    grant_type: failure("invalid_grant_type"),
    request: failure("invalid_arguments"),
  },
};

/** Stand-in for slack.com and its Web API, on one origin; the workspace's own pages are there too. */
export const slack: Provider<SlackState> = {
  name: "slack",
  title: "Slack",
  oauth,
  seed: SlackSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildSlack(seed as SlackSeed, now),
  accounts: (world) =>
    world.users
      .filter(({ is_bot, deleted }) => !is_bot && !deleted)
      .map(({ id, real_name, email }) => ({ id, name: real_name, email })),
  routes(app, provider) {
    registerPeopleMethods(app, provider);
    registerConversationMethods(app, provider);
    registerChatMethods(app, provider);
    registerSearchMethods(app, provider);
    registerFileMethods(app, provider);
    app.all("/api/*", (c) =>
      c.json({ ok: false, error: "unknown_method", req_method: c.req.path.slice("/api/".length) }),
    );
    registerWebPages(app, provider);
  },
};

function registerPeopleMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  registerMethod(app, provider, "auth.test", undefined, ({ me, world, request }) => ({
    url: `${new URL(request.url).origin}/`,
    team: world.team.name,
    user: me.name,
    team_id: world.team.id,
    user_id: me.id,
    is_enterprise_install: false,
  }));
  registerMethod(app, provider, "auth.revoke", undefined, ({ request, args }) => ({
    revoked: args.test === "1" || provider.revoke(getToken(request), "consent"),
  }));
  registerMethod(app, provider, "users.list", "users:read", (call) => {
    const { page, next } = paginate(call, call.world.users);
    return {
      members: page.map((user) => toUserView(call, user)),
      cache_ts: 0,
      response_metadata: { next_cursor: next },
    };
  });
  registerMethod(app, provider, "users.info", "users:read", (call) => {
    const user = call.world.users.find(({ id }) => id === call.args.user);
    if (!user) throw slackError("user_not_found");
    return { user: toUserView(call, user) };
  });
  registerMethod(app, provider, "users.lookupByEmail", "users:read.email", (call) => {
    const emailAddress = call.args.email?.toLowerCase();
    const user = call.world.users.find(
      ({ email, deleted }) => !deleted && email !== "" && email.toLowerCase() === emailAddress,
    );
    if (!user) throw slackError("users_not_found");
    return { user: toUserView(call, user) };
  });
}

/** Read-only pages that links lead to: the workspace, `/archives/<channel>` and `/archives/<channel>/p<ts>`. */
function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  const getUserName = (id: string) => provider.world().users.find((user) => user.id === id)?.real_name ?? id;
  const block = ({ user, ts, text }: Reply) => {
    const time = new Date(Number(ts) * 1000).toISOString().slice(0, 16).replace("T", " ");
    return renderEntry(`${getUserName(user)}, ${time}`, text, `p${ts.replace(".", "")}`);
  };
  app.get("/", (c) => {
    const { team, channels } = provider.world();
    const openChannels = channels.filter(({ is_private, is_archived }) => !is_private && !is_archived);
    const list = html`<ul>${openChannels.map(({ id, name }) => html`<li><a href="/archives/${id}">#${name}</a></li>`)}</ul>`;
    return sendWebPage(c, team.name, list);
  });
  app.get("/archives/:channel/:message?", (c) => {
    const { channels, ims } = provider.world();
    const conversation = [...channels, ...ims].find(({ id }) => id === c.req.param("channel"));
    if (!conversation) return c.notFound();
    const ts = c.req.param("message")?.replace(/^p(\d{10})(\d{6})$/, "$1.$2");
    const isIt = (message: Reply) => ts === undefined || message.ts === ts;
    const shownMessages = conversation.messages.filter((root) => isIt(root) || root.replies.some(isIt));
    if (ts !== undefined && shownMessages.length === 0) return c.notFound();
    const title = isIm(conversation) ? conversation.users.map(getUserName).join(" and ") : `#${conversation.name}`;
    const blocks = shownMessages.map((root) => html`${block(root)}${root.replies.map(block)}`);
    return sendWebPage(c, title, html`${blocks}`);
  });
}

function getToken(request: Request): string {
  return /^bearer\s+(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}

/** An announced file; `file` is set once it is uploaded. */
type Upload = { user: string; filename: string; length: number; file?: SandboxFile };

/** Files are uploaded in three steps (docs.slack.dev/messaging/working-with-files). */
function registerFileMethods(app: Hono<SandboxEnv>, provider: ProviderContext<SlackState>): void {
  const uploads = new Map<string, Upload>();
  registerMethod(app, provider, "files.getUploadURLExternal", "files:write", ({ args, me, request }) => {
    const { filename = "", length = "" } = args;
    if (filename === "" || !/^[1-9]\d*$/.test(length)) throw slackError("invalid_arguments");
    const id = `F0${Buffer.from(provider.random(5)).toString("hex").toUpperCase()}`;
    uploads.set(id, { user: me.id, filename, length: Number(length) });
    return { upload_url: `${new URL(request.url).origin}/upload/v1/${id}`, file_id: id };
  });
  app.post("/upload/v1/:id", async (c) => {
    const id = c.req.param("id");
    const upload = uploads.get(id);
    if (!upload) return c.text("Not found", 404);
    const isForm = c.req.header("content-type")?.startsWith("multipart/form-data");
    const [sentFile] = isForm ? await readFormFiles(c.req.raw) : [];
    const bytes = isForm ? sentFile?.bytes : new Uint8Array(await c.req.arrayBuffer());
    if (bytes?.byteLength !== upload.length) return c.text("Bad length", 400);
    upload.file = describeFile(id, upload.filename, "application/octet-stream", bytes);
    return c.text(`OK - ${bytes.byteLength}`);
  });
  registerMethod(app, provider, "files.completeUploadExternal", "files:write", (call) => complete(call, uploads));
}

function complete(call: MethodCall, uploads: Map<string, Upload>): Record<string, unknown> {
  const { args, me, request } = call;
  const references = parseFiles(args.files);
  const files = references.map(({ id, title }) => {
    const { user, file } = uploads.get(id) ?? {};
    if (user !== me.id || !file) throw slackError("file_not_found");
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
  throw slackError("invalid_arguments");
}
