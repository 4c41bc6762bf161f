import { expect, test } from "vitest";
import { createPaths, type PathsInput } from "#client/paths";
import { Problem } from "#protocol/errors";

const linux: PathsInput = { env: {}, platform: "linux", home: "/home/ann", cwd: "/srv" };

function all(input: PathsInput): Record<string, string> {
  const paths = createPaths(input);
  return { config: paths.config(), state: paths.state(), data: paths.data(), runtime: paths.runtime() };
}

test("on Linux the folders are those of the XDG specification", () => {
  expect(all(linux)).toEqual({
    config: "/home/ann/.config/kay",
    state: "/home/ann/.local/state/kay",
    data: "/home/ann/.local/share/kay",
    runtime: "/home/ann/.local/state/kay/run",
  });
  const env = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s", XDG_DATA_HOME: "/d", XDG_RUNTIME_DIR: "/run/user/1" };
  expect(all({ ...linux, env })).toEqual({
    config: "/c/kay",
    state: "/s/kay",
    data: "/d/kay",
    runtime: "/run/user/1/kay",
  });
});

test("a relative or empty XDG folder is ignored, as the specification says", () => {
  const env = { XDG_CONFIG_HOME: "relative", XDG_STATE_HOME: "" };
  expect(createPaths({ ...linux, env }).config()).toBe("/home/ann/.config/kay");
  expect(createPaths({ ...linux, env }).state()).toBe("/home/ann/.local/state/kay");
});

test("KAY_CONFIG_DIR is the settings folder itself and overrides XDG_CONFIG_HOME", () => {
  const env = { KAY_CONFIG_DIR: "mine", XDG_CONFIG_HOME: "/c" };
  expect(createPaths({ ...linux, env }).config()).toBe("/srv/mine");
});

test("on macOS and Windows the folders are the platform's usual ones, without a suffix", () => {
  expect(all({ ...linux, platform: "darwin", home: "/Users/ann" })).toEqual({
    config: "/Users/ann/Library/Preferences/kay",
    state: "/Users/ann/Library/Application Support/kay/State",
    data: "/Users/ann/Library/Application Support/kay/Data",
    runtime: "/Users/ann/Library/Application Support/kay/State/run",
  });
  const env = { APPDATA: "C:\\Users\\ann\\AppData\\Roaming" };
  expect(all({ env, platform: "win32", home: "C:\\Users\\ann", cwd: "C:\\" })).toEqual({
    config: "C:\\Users\\ann\\AppData\\Roaming\\kay\\Config",
    state: "C:\\Users\\ann\\AppData\\Local\\kay\\State",
    data: "C:\\Users\\ann\\AppData\\Local\\kay\\Data",
    runtime: "C:\\Users\\ann\\AppData\\Local\\kay\\State\\run",
  });
});

test("S14 without a home folder nothing fails before a folder is needed, and then one line says what to set", () => {
  for (const home of [undefined, "", "/", "relative"]) {
    const paths = createPaths({ ...linux, home });
    expect(() => paths.config()).toThrow(Problem);
    expect(() => paths.config()).toThrow(/^Could not find a folder for kay's files: the home folder is .+\.$/);
  }
  try {
    createPaths({ ...linux, home: "/" }).config();
  } catch (error) {
    expect(error).toMatchObject({
      code: "STORE_UNREADABLE",
      hint: "Set KAY_CONFIG_DIR or XDG_CONFIG_HOME to a writable directory.",
    });
  }
});

test("without a home folder the folder that a command names holds everything, unless a variable does", () => {
  const input: PathsInput = { ...linux, home: "/", env: {} };
  const paths = createPaths(input);
  input.instead = "data";
  expect([paths.config(), paths.state()]).toEqual(["/srv/data", "/srv/data/state"]);
  expect(all({ ...linux, instead: "/data" }).config).toBe("/home/ann/.config/kay");
  expect(all({ ...input, env: { KAY_CONFIG_DIR: "/k", XDG_STATE_HOME: "/s" } })).toMatchObject({
    config: "/k",
    state: "/s/kay",
  });
});

test("S14 with KAY_CONFIG_DIR and no home, everything is stored below it", () => {
  expect(all({ ...linux, home: "/", env: { KAY_CONFIG_DIR: "/tmp/k" } })).toEqual({
    config: "/tmp/k",
    state: "/tmp/k/state",
    data: "/tmp/k/data",
    runtime: "/tmp/k/state/run",
  });
});
