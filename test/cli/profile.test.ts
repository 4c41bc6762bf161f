import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryKeychain } from "#test/credentials";
import { parseDocument, useKay } from "#test/kay";
import { asksFor } from "#test/links";

const kay = useKay();
const settings = async (folder: string) => JSON.parse(await readFile(join(folder, "kay", "config.json"), "utf8"));
const URL_NOTE = "KAY_API_URL is set and overrides the backend of every profile.\n";
const DANA = "Dana Demo (dana@example.com) at http://127.0.0.1:4010/sites/kay-demo";

test("profile list shows each profile, its backend, its sign-in and its accounts, and asks no backend", async () => {
  const ann = kay({ connected: ["jira", "bitbucket"] });
  await ann("profile create work");
  ann.place.network.seen.length = 0;
  expect(await ann("profile list")).toEqual({
    exit: 0,
    stdout:
      "*\tdefault\thttp://127.0.0.1:4000\tsigned in\tjira: Dana Demo (dana@example.com), bitbucket: Dana Demo (dana)\n" +
      "\twork\thttp://127.0.0.1:4000\tsigned out\t\n",
    stderr: URL_NOTE,
  });
  expect(parseDocument(await ann("profile list --json"))).toEqual({
    profiles: [
      {
        name: "default",
        current: true,
        backend: "http://127.0.0.1:4000",
        signed_in: true,
        accounts: { jira: "Dana Demo (dana@example.com)", bitbucket: "Dana Demo (dana)" },
      },
      { name: "work", current: false, backend: "http://127.0.0.1:4000", signed_in: false, accounts: {} },
    ],
  });
  expect(ann.place.network.seen).toEqual([]);
});

test("profile list starts no local backend, and names each profile's backend", async () => {
  const ann = kay({ env: { KAY_API_URL: "" } });
  await ann("config set api-url https://kay.example.test --profile work");
  expect(await ann("profile list")).toEqual({
    exit: 0,
    stdout: "*\tdefault\tlocal\tsigned out\t\n\twork\thttps://kay.example.test\tsigned out\t\n",
    stderr: "",
  });
  expect(ann.starts()).toBe(0);
});

test("profile list reports a profile whose keychain is locked as unknown", async () => {
  const keychain = memoryKeychain();
  const ann = kay({ signedIn: true, keychain });
  await ann("profile list");
  keychain.check = async () => ({ state: "locked" });
  keychain.get = async () => {
    const { toKeychainProblem } = await import("#client/credentials/keychain");
    throw toKeychainProblem({ state: "locked" });
  };
  expect(await ann("profile list")).toEqual({
    exit: 0,
    stdout: "*\tdefault\thttp://127.0.0.1:4000\tunknown\tThe keychain is locked.\n",
    stderr: URL_NOTE,
  });
});

test("a flag overrides KAY_PROFILE, which overrides profile use, which overrides the default", async () => {
  const ann = kay({ env: { KAY_API_URL: "" } });
  for (const name of ["work", "client-a", "home"]) await ann(`profile create ${name}`);
  const readModelSource = async (line: string, env: Record<string, string> = {}) =>
    (parseDocument(await ann(`config get model --json ${line}`, { env })) as { where: string }).where;
  for (const name of ["work", "client-a", "home", "default"])
    await ann(`config set model openai:${name} --profile ${name}`);
  expect(await readModelSource("")).toBe("model of profile default");
  expect(await ann("profile use work")).toEqual({
    exit: 0,
    stdout: "Profile work is now the current one.\n",
    stderr: "",
  });
  expect(await readModelSource("")).toBe("model of profile work");
  expect(await readModelSource("", { KAY_PROFILE: "client-a" })).toBe("model of profile client-a");
  expect(await readModelSource("", { KAY_PROFILE: " " })).toBe("model of profile work");
  expect(await readModelSource("--profile home", { KAY_PROFILE: "client-a" })).toBe("model of profile home");
  expect(await ann("profile use work --json")).toMatchObject({
    stdout: '{\n  "profile": "work",\n  "previous": "work"\n}\n',
  });
  expect(await ann("profile use default", { env: { KAY_PROFILE: "client-a" } })).toEqual({
    exit: 0,
    stdout: "Profile default is now the current one.\n",
    stderr: "! KAY_PROFILE is set to client-a here and overrides it. Unset it to use profile default.\n",
  });
  expect(await settings(ann.folder)).not.toHaveProperty("profile");
});

test("concurrent changes of the settings by several processes are all kept", async () => {
  const ann = kay({ env: { KAY_API_URL: "" } });
  const names = ["a", "b", "c", "d", "e", "f"];
  await Promise.all([...names.map((name) => ann(`profile create ${name}`)), ann("config set model offline")]);
  await Promise.all([ann("profile use c"), ...names.map((name) => ann(`config set model openai:x --profile ${name}`))]);
  const expected = names.map((name) => [name, { model: "openai:x" }]);
  expect(await settings(ann.folder)).toEqual({
    profile: "c",
    profiles: { default: { model: "offline" }, ...Object.fromEntries(expected) },
  });
  expect(readdirSync(join(ann.folder, "kay"))).toEqual(["config.json"]);
});

test("profile use names the nearest profile for a missing one, and creates none", async () => {
  const ann = kay();
  await ann("profile create work");
  expect(await ann("profile use wrok")).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      "✗ Profile wrok does not exist. You have default and work. Did you mean work?\n  Run `kay profile create wrok` to create it.\n",
  });
  expect(await ann("profile list")).toMatchObject({ stdout: expect.not.stringContaining("wrok") });
});

test.for(["../x", "Work", "a/b", "-x", "con", "nul", "lpt1", "a b", "__proto__", "x.json", "ä", "a".repeat(33)])(
  "no file is created for an invalid profile name: %s",
  async (name) => {
    const ann = kay();
    for (const command of ["create", "use", "remove"]) {
      const { exit, stdout } = await ann(["profile", command, "--yes", "--", name]);
      expect([exit, stdout]).toEqual([2, ""]);
    }
    expect(existsSync(join(ann.folder, "kay"))).toBe(false);
  },
);

test("profile create refuses an existing profile", async () => {
  const ann = kay();
  expect(await ann("profile create work")).toEqual({
    exit: 0,
    stdout: "Created profile work.\n",
    stderr: "`kay profile use work` makes it the current one, `--profile work` uses it once.\n",
  });
  expect(await ann("profile create work")).toEqual({
    exit: 2,
    stdout: "",
    stderr: "✗ Profile work already exists.\n  `kay profile use work` uses it.\n",
  });
  expect((await ann("profile create default")).exit).toBe(2);
});

test("a command in a missing profile says so, with the existing ones", async () => {
  const ann = kay({ signedIn: true });
  await ann("profile create work");
  expect(await ann("whoami --profile wrok")).toEqual({
    exit: 4,
    stdout: "",
    stderr:
      "! Profile wrok is new. You have default and work. Did you mean work?\n✗ You are not signed in to profile wrok.\n  Run `kay connect <service> --profile wrok`.\n",
  });
  expect(parseDocument(await ann("whoami --json", { env: { KAY_PROFILE: "wrok" } }))).toMatchObject({
    code: "NOT_SIGNED_IN",
    warnings: ["Profile wrok is new. You have default and work. Did you mean work?"],
  });
  expect(await ann("connect jira --profile other")).toEqual({
    exit: 0,
    stdout: `Connected jira as ${DANA} in profile other\n`,
    stderr: `! Profile other is new. You have default and work.\n${asksFor("jira")}`,
  });
  expect(await ann("connections --check jira --profile other")).toEqual({ exit: 0, stdout: "", stderr: "" });
});

test("profile remove in a script needs --yes, and says what is removed", async () => {
  const ann = kay({ signedIn: true });
  await ann("connect bitbucket --profile work");
  await ann("config set model offline --profile work");
  await ann("profile use work");
  expect(await ann("profile remove work")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      "✗ Remove profile work, with its settings (model), its sign-in at http://127.0.0.1:4000, which connects bitbucket as Dana Demo (dana), and what was typed in its sessions? Its conversations stay at the backend and can no longer be opened. Profile default becomes the current one. Cannot prompt: this is not a terminal.\n  Use --yes.\n",
  });
  expect(await ann("profile remove work", { terminal: true, types: ["n"] })).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining("Nothing was removed."),
  });
  expect(await ann("connections --check bitbucket")).toMatchObject({ exit: 0 });
});

test("profile remove disconnects its services, signs out at the backend, and deletes everything here", async () => {
  const keychain = memoryKeychain();
  const ann = kay({ signedIn: true, keychain });
  await ann("connect bitbucket --profile work");
  await ann("config set model offline --profile work");
  await ann("profile use work");
  await writeFile(join(ann.folder, "kay", "credentials", "work.json.corrupt-20261127T000000Z"), "cut");
  ann.place.network.seen.length = 0;
  expect(await ann("profile remove work --yes")).toEqual({
    exit: 0,
    stdout: "Removed profile work.\n",
    stderr:
      "! kay deleted its tokens, but Bitbucket has no way to revoke them. " +
      "Remove kay's access at https://bitbucket.org/account/settings/app-authorizations/.\n" +
      "Profile default is now the current one.\n",
  });
  expect(ann.place.network.calls()).toEqual(["GET /connections", "POST /connections/disconnect", "POST /auth/logout"]);
  expect(readdirSync(join(ann.folder, "kay", "credentials"))).toEqual(["default.json"]);
  expect([...keychain.keys.keys()]).toEqual(["default"]);
  expect(await settings(ann.folder)).toEqual({ profiles: {} });
  expect(await ann("connections --check jira")).toEqual({ exit: 0, stdout: "", stderr: "" });
});

test("profile remove reports what remains at an unreachable backend", async () => {
  const ann = kay();
  await ann("connect jira --profile work");
  ann.place.network.on("GET /connections", "refused");
  expect(parseDocument(await ann("profile remove work --yes --json"))).toEqual({
    profile: "work",
    removed: true,
    current: "default",
    signed_out: [{ backend: "http://127.0.0.1:4000", revoked: false }],
    warnings: [
      "Cannot reach http://127.0.0.1:4000 (ECONNREFUSED). The sign-in and its connections may remain valid at the backend until they expire.",
    ],
  });
  expect(await ann("profile list")).toMatchObject({ stdout: expect.not.stringContaining("work") });
});

test("profile remove removes nothing while the keychain is locked", async () => {
  const keychain = memoryKeychain();
  const ann = kay({ keychain });
  await ann("connect jira --profile work");
  const { get } = keychain;
  const { toKeychainProblem } = await import("#client/credentials/keychain");
  keychain.check = async () => ({ state: "locked" });
  keychain.get = async () => {
    throw toKeychainProblem({ state: "locked" });
  };
  expect(await ann("profile remove work --yes")).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("✗ The keychain is locked."),
  });
  Object.assign(keychain, { get, check: async () => ({ state: "usable" }) });
  expect(await ann("connections --check jira --profile work")).toEqual({ exit: 0, stdout: "", stderr: "" });
});

test("profile remove deletes a profile whose keychain is gone, and says what remains", async () => {
  const keychain = memoryKeychain();
  const ann = kay({ keychain });
  await ann("connect jira --profile work");
  const { toKeychainProblem } = await import("#client/credentials/keychain");
  keychain.check = async () => ({ state: "no-bus" });
  keychain.get = async () => {
    throw toKeychainProblem({ state: "no-bus" });
  };
  const says = "No D-Bus session bus is available, so the keychain cannot be used.";
  expect(await ann("profile remove work --yes")).toEqual({
    exit: 0,
    stdout: "Removed profile work.\n",
    stderr: `! ${says} The sign-in of profile work could not be ended at its backend.\n! ${says} Its key may still be there, but it can no longer decrypt anything.\n`,
  });
});

test("profile remove empties the default profile, which always exists", async () => {
  const ann = kay({ signedIn: true });
  expect(await ann("profile remove default --yes")).toMatchObject({
    exit: 0,
    stdout: "Profile default is now empty.\n",
  });
  expect(await ann("profile list")).toMatchObject({
    stdout: "*\tdefault\thttp://127.0.0.1:4000\tsigned out\t\n",
  });
});

test("an invalid profile name in the settings file is reported, and profile use fixes it", async () => {
  const ann = kay();
  await ann("profile create work");
  await writeFile(join(ann.folder, "kay", "config.json"), '{"profile": "../x", "profiles": {"work": {}}}');
  expect(await ann("connections")).toEqual({
    exit: 1,
    stdout: "",
    stderr:
      '✗ In the settings file, "profile" is not a valid profile name.\n  Choose one with `kay profile use default`.\n',
  });
  expect(await ann("profile use default")).toMatchObject({ exit: 0 });
  expect(await ann("whoami")).toMatchObject({ exit: 4 });
});

test("kay profile alone prints its help, like every group of commands", async () => {
  expect(await kay()("profile")).toMatchObject({ exit: 0, stdout: expect.stringContaining("remove <name>") });
});
