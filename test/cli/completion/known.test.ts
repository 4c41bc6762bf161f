import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CacheOwner, type CompletionCache, openCompletionCache } from "#cli/completion/cache";
import { useKay } from "#test/kay";

const kay = useKay();
const HOUR = 60 * 60_000;

function cache(changes: Partial<CacheOwner> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "kay-known-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const time = { now: 1_000 };
  const owner = { state: () => folder, profile: "default", backend: "embedded", now: () => time.now, ...changes };
  let nth = 0;
  const of = (other: Partial<CacheOwner> = {}): CompletionCache =>
    openCompletionCache({ ...owner, ...other }, () => String(nth++));
  return { folder, file: join(folder, "completion/default/sessions.json"), of, known: of(), time };
}

test("stored values are read again by their owner only, and no other file is left", () => {
  const { known, file } = cache();
  known.write("sessions", [["session_1", "Login loops"]]);
  known.write("sessions", [["session_2", "Typo"]]);
  expect(known.read("sessions")).toEqual([["session_2", "Typo"]]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, "..")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(file, ".."))).toEqual(["sessions.json"]);
});

test("known values are written again only after some time", () => {
  const { known, file, time } = cache();
  const readTime = () => JSON.parse(readFileSync(file, "utf8")).at;
  known.write("sessions", [["session_1", ""]]);
  time.now += HOUR;
  known.write("sessions", [["session_1", ""]]);
  expect(readTime()).toBe(1_000);
  time.now += 24 * HOUR;
  known.write("sessions", [["session_1", ""]]);
  expect(readTime()).toBe(time.now);
  known.write("sessions", [["session_2", ""]]);
  expect(known.read("sessions")).toEqual([["session_2", ""]]);
});

test("each profile and each backend has separate values", () => {
  const { of } = cache();
  of().write("sessions", [["session_1", ""]]);
  expect(of({ profile: "work" }).read("sessions")).toBeNull();
  expect(of({ backend: "https://kay.example.test" }).read("sessions")).toBeNull();
  expect(of({ profile: "../default" }).read("sessions")).toBeNull();
});

test("open requests are not offered after an hour, anything else not after a month", () => {
  const { known, time } = cache();
  known.write("pending", [["int_1", ""]]);
  known.write("approvals", [["grant_1", ""]]);
  time.now += HOUR;
  expect([known.read("pending"), known.read("approvals")]).toEqual([null, [["grant_1", ""]]]);
  time.now += 30 * 24 * HOUR;
  expect(known.read("approvals")).toBeNull();
});

test.for([
  "",
  "{",
  "null",
  "[]",
  '{"backend":"embedded","at":1000,"values":7}',
  '{"backend":"embedded","at":"x","values":[]}',
])("a damaged file (%j) counts as missing", (text) => {
  const { known, file } = cache();
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  expect(known.read("sessions")).toBeNull();
});

test("only IDs and names that are safe in any shell are stored and read, each with one clean line", () => {
  const { known, file } = cache();
  const hostile: [string, string][] = [
    ["$(touch /tmp/pwned)", "an id"],
    ["session 1", ""],
    ["-rf", ""],
    ["a\nb", ""],
    ["session_1", "red \u001b[31mtitle\u202e\nsecond\tline"],
    ["session_1", "twice"],
  ];
  known.write("sessions", hostile);
  const clean = [["session_1", "twice"]];
  expect(known.read("sessions")).toEqual(clean);
  const entry = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...entry, values: [...hostile.slice(0, 5), 7, ["x"], null] }));
  expect(known.read("sessions")).toEqual([
    ["session_1", "red titleU+202E second line"],
    ["x", ""],
  ]);
});

test("a folder that cannot be written fails no command", () => {
  const { folder, of } = cache();
  writeFileSync(join(folder, "state"), "");
  const cached = of({ state: () => join(folder, "state") });
  cached.write("sessions", [["session_1", ""]]);
  cached.forget();
  expect(cached.read("sessions")).toBeNull();
});

test("commands that list store what they listed, without accounts, and logout deletes it", async () => {
  const ann = kay({ signedIn: true });
  const folder = join(ann.folder, "kay/completion/default");
  const readEntry = (kind: string) => JSON.parse(readFileSync(join(folder, `${kind}.json`), "utf8"));
  await ann('ask --json "show KAY-1"');
  const document = JSON.parse(ann.raw().stdout) as { session_id: string };
  for (const line of [
    "connections",
    "services",
    "tools list",
    "sessions list",
    "pending",
    "approvals list",
    "model list",
  ])
    expect((await ann(line)).exit).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(
    ["approvals", "models", "pending", "services", "sessions", "tools"].map((kind) => `${kind}.json`),
  );
  expect(readEntry("sessions")).toMatchObject({
    backend: expect.stringMatching(/^https?:/),
    values: [[document.session_id, expect.any(String)]],
  });
  expect(readEntry("services").values).toContainEqual(["google-drive", "Google Drive"]);
  expect(readEntry("tools").values.map(([name]: string[]) => name)).toContain("jira.search");
  expect(JSON.stringify(readEntry("services"))).not.toContain("@");
  await ann(`sessions rename ${document.session_id} "Another title"`);
  expect(readEntry("sessions").values).toEqual([[document.session_id, "Another title"]]);
  await ann(`sessions delete ${document.session_id} --yes`);
  expect(readEntry("sessions").values).toEqual([]);
  await ann("logout");
  expect(existsSync(folder)).toBe(false);
});

test("nothing from a token of the environment is stored", async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  const { token = "" } = await ann.stored();
  rmSync(join(ann.folder, "kay/completion"), { recursive: true, force: true });
  expect((await ann("sessions list", { env: { KAY_TOKEN: token } })).exit).toBe(0);
  expect(existsSync(join(ann.folder, "kay/completion"))).toBe(false);
});
