import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRedactor, redactEnvironment } from "#cli/commands/doctor/redact";
import { type Machine, parseDocument, useKay } from "#test/kay";

const kay = useKay();

/** Typical secrets of a machine; none has a recognizable form. */
const SECRETS = {
  token: "plain-access-word-1",
  proxy: "pr0xy/p@ss:word-2",
  apiKey: "plain-api-key-word-3",
  client: "client-secret-word-4",
  database: "database-word-5",
  stored: "stored-refresh-word-6",
  setting: "setting-secret-word-7",
  described: "described-word-8",
};

const ENV = {
  HTTPS_PROXY: `http://ann:${encodeURIComponent(SECRETS.proxy)}@proxy.test:3128`,
  http_proxy: `ann:${SECRETS.proxy}@proxy.test:3128`,
  OPENAI_API_KEY: SECRETS.apiKey,
  OPENAI_BASE_URL: `https://me:${SECRETS.apiKey}@models.test/v1`,
  KAY_CLIENT_SLACK_SECRET: SECRETS.client,
  KAY_CLIENT_TASKS_SECRET: SECRETS.described,
  DATABASE_URL: `postgres://kay:${SECRETS.database}@db.test/kay`,
  KAY_KEYS: `{"signing": "${SECRETS.client}"}`,
  BROWSER: "none",
  UNRELATED_SETTING: "nobody-should-see-this",
};

/** Puts every secret wherever it could come from, including the log and the backend's answers. */
async function addSecrets(): Promise<Machine> {
  const ann = kay({ env: ENV, signedIn: true });
  mkdirSync(join(ann.folder, "kay"), { recursive: true });
  await ann("whoami");
  const signIn = await ann.stored();
  await ann.store({ ...signIn, refresh_token: SECRETS.stored });
  writeFileSync(
    join(ann.folder, "kay/config.json"),
    JSON.stringify({
      profiles: { default: { "slack.client-secret": SECRETS.setting, "slack.client-id": "public-id" } },
    }),
    { mode: 0o600 },
  );
  const log = Object.values(SECRETS).map((secret) => JSON.stringify({ level: "error", message: `it said ${secret}` }));
  const forms = [
    "Authorization: Bearer eyJhbGciOi.eyJzdWIi.c2ln",
    `token ${signIn.token}`,
    `at https://u:hunter22@x.test`,
  ];
  writeFileSync(
    join(ann.folder, "kay/backend.log"),
    [...log, ...forms, '{"level":"info","message":"listening"}', ""].join("\n"),
  );
  ann.place.network.always("GET /capabilities", { json: { name: `kay ${SECRETS.token}`, version: SECRETS.stored } });
  ann.place.network.always("GET /connections", {
    status: 500,
    json: { code: "INTERNAL", message: `It failed with ${Object.values(SECRETS).join(" and ")}.` },
  });
  return ann;
}

function expectNoSecret(text: string, jwt = ""): void {
  for (const secret of [...Object.values(SECRETS), jwt, "hunter22", "eyJhbGciOi", "nobody-should-see-this"].filter(
    Boolean,
  )) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(encodeURIComponent(secret));
  }
}

test("no secret of the machine is in the output, the document, or the bundle", async () => {
  const ann = await addSecrets();
  const { token } = await ann.stored();
  const env = { KAY_TOKEN: SECRETS.token };
  for (const [line, setting] of [
    ["doctor", {}],
    ["doctor", { terminal: true }],
    ["doctor --json --bundle all.json", {}],
  ] as const) {
    await ann(line, { env, ...setting });
    expectNoSecret(ann.raw().both, token);
  }
  const bundle = readFileSync(join(ann.folder, "all.json"), "utf8");
  expectNoSecret(bundle, token);
  const { backend_log, environment, settings } = JSON.parse(bundle);
  expect(backend_log.at(-1)).toBe('{"level":"info","message":"listening"}');
  expect(environment).toMatchObject({
    KAY_TOKEN: "(set)",
    OPENAI_API_KEY: "(set)",
    HTTPS_PROXY: "http://***@proxy.test:3128",
    DATABASE_URL: "(set)",
    BROWSER: "none",
  });
  expect(settings).toContainEqual({
    key: "slack.client-secret",
    value: "********",
    source: "environment",
    where: "KAY_CLIENT_SLACK_SECRET",
  });
});

test("a bundle is a new file that only the user can read, and never replaces one", async () => {
  const ann = kay({ env: { BROWSER: "none" } });
  const result = await ann("doctor --bundle --json");
  const { bundle } = parseDocument(result) as { bundle: string };
  expect(bundle).toBe("/home/ann/kay-doctor-20261127T120000.json");
  const path = bundle.replace("/home/ann", ann.folder);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual([
    "kay",
    "made_at",
    "ok",
    "checks",
    "runtime",
    "settings",
    "environment",
    "backend_log",
  ]);
  writeFileSync(join(ann.folder, "mine.json"), "mine");
  expect(await ann("doctor --bundle mine.json --quiet")).toMatchObject({
    exit: 2,
    stderr: "✗ /home/ann/mine.json already exists.\n  Choose another file with `--bundle FILE`.\n",
  });
  expect(readFileSync(join(ann.folder, "mine.json"), "utf8")).toBe("mine");
  expect(await ann("doctor --bundle no/such/folder.json --quiet")).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("cannot be written (ENOENT)"),
  });
  expect(readdirSync(ann.folder).filter((name) => name.startsWith(".kay-doctor"))).toEqual([]);
});

test("the environment of a report has names, and only harmless values", () => {
  expect(
    redactEnvironment({
      KAY_PROFILE: "work",
      KAY_CREDENTIALS: "file",
      KAY_TOKEN: "x-secret",
      KAY_SOMETHING_NEW: "x-secret",
      ANTHROPIC_AUTH_TOKEN: "x-secret",
      ANTHROPIC_BASE_URL: "https://a:b@c.test",
      SSH_CONNECTION: "10.0.0.1 22",
      LANG: "C.UTF-8",
      NO_PROXY: "",
      AWS_SECRET_ACCESS_KEY: "x-secret",
      PATH: "/bin",
    }),
  ).toEqual({
    ANTHROPIC_AUTH_TOKEN: "(set)",
    ANTHROPIC_BASE_URL: "https://***@c.test",
    KAY_CREDENTIALS: "file",
    KAY_PROFILE: "work",
    KAY_SOMETHING_NEW: "(set)",
    KAY_TOKEN: "(set)",
    LANG: "C.UTF-8",
    NO_PROXY: "(empty)",
    SSH_CONNECTION: "(set)",
  });
});

test("a secret is removed in every spelling, the longest first, and short ones damage no words", () => {
  const scrub = createRedactor({
    KAY_TOKEN: "abc def/ghi",
    DATABASE_URL: "postgres://u:abc%20def%2Fghi-more@h/d",
    X_PASSWORD: "no",
  });
  expect(scrub("abc def/ghi, abc%20def%2Fghi, abc def/ghi-more, nobody")).toBe(
    "[redacted], [redacted], [redacted], nobody",
  );
});
