import { posix, win32 } from "node:path";
import { Problem } from "#protocol/errors";

/** Locations of kay's files. Each is computed on first use, so that calls without files need no home folder. */
export type Paths = {
  /** Settings and sealed credentials. */
  config(): string;
  /** State that may be lost: logs, the local backend's record, the terminal's history. */
  state(): string;
  /** Data of the local backend. */
  data(): string;
  /** Sockets and similar files, lost at the next boot. */
  runtime(): string;
};

/**
 * Inputs of the paths. `home` is the user's home folder as the system reports it; `cwd` resolves a relative
 * `KAY_CONFIG_DIR`. `instead` holds everything if there is neither that nor a home folder; it may be set later.
 */
export type PathsInput = {
  env: Record<string, string | undefined>;
  platform: NodeJS.Platform;
  home: string | undefined;
  cwd: string;
  instead?: string | undefined;
};

/**
 * Computes the folders of this machine without touching them. `KAY_CONFIG_DIR` is the settings folder itself; absolute
 * `XDG_*` variables apply on every platform (XDG Base Directory Specification); otherwise the platform's usual folders.
 *
 * Each getter throws Problem STORE_UNREADABLE without a home folder, with the variable to set.
 */
export function createPaths(input: PathsInput): Paths {
  const path = input.platform === "win32" ? win32 : posix;
  const getXdgFolder = (name: string): string | undefined => {
    const value = input.env[name];
    return value && path.isAbsolute(value) ? path.join(value, "kay") : undefined;
  };
  const getPlatformFolder = (places: Places, name: string): string => path.join(...getUsualPlace(input, places, name));
  const override = input.env.KAY_CONFIG_DIR ? path.resolve(input.cwd, input.env.KAY_CONFIG_DIR) : undefined;
  const getFolderInstead = (name = ""): string | undefined => {
    const folder = override ?? (input.instead && path.resolve(input.cwd, input.instead));
    return folder && !hasHome(input) ? path.join(folder, name) : undefined;
  };
  const getState = () =>
    getXdgFolder("XDG_STATE_HOME") ?? getFolderInstead("state") ?? getPlatformFolder(STATE, "XDG_STATE_HOME");
  return {
    config: () =>
      override ??
      getXdgFolder("XDG_CONFIG_HOME") ??
      getFolderInstead() ??
      getPlatformFolder(CONFIG, "KAY_CONFIG_DIR or XDG_CONFIG_HOME"),
    state: getState,
    data: () => getXdgFolder("XDG_DATA_HOME") ?? getFolderInstead("data") ?? getPlatformFolder(DATA, "XDG_DATA_HOME"),
    runtime: () => getXdgFolder("XDG_RUNTIME_DIR") ?? path.join(getState(), "run"),
  };
}

/** Path segments below the home folder, or on Windows below the folder of an environment variable. */
type Places = { linux: string[]; darwin: string[]; win32: [variable: string, fallback: string[], ...rest: string[]] };

const CONFIG: Places = {
  linux: [".config", "kay"],
  darwin: ["Library", "Preferences", "kay"],
  win32: ["APPDATA", ["AppData", "Roaming"], "kay", "Config"],
};
const STATE: Places = {
  linux: [".local", "state", "kay"],
  darwin: ["Library", "Application Support", "kay", "State"],
  win32: ["LOCALAPPDATA", ["AppData", "Local"], "kay", "State"],
};
const DATA: Places = {
  linux: [".local", "share", "kay"],
  darwin: ["Library", "Application Support", "kay", "Data"],
  win32: ["LOCALAPPDATA", ["AppData", "Local"], "kay", "Data"],
};

function getUsualPlace(input: PathsInput, places: Places, variable: string): [string, ...string[]] {
  if (input.platform === "win32") {
    const [name, fallback, ...rest] = places.win32;
    const folder = input.env[name];
    return folder && win32.isAbsolute(folder) ? [folder, ...rest] : [getHome(input, variable), ...fallback, ...rest];
  }
  return [getHome(input, variable), ...(input.platform === "darwin" ? places.darwin : places.linux)];
}

function hasHome(input: PathsInput): boolean {
  const path = input.platform === "win32" ? win32 : posix;
  return Boolean(input.home) && path.isAbsolute(input.home ?? "") && path.dirname(input.home ?? "") !== input.home;
}

/** Returns the home folder; never the root folder, which containers with an arbitrary user set as HOME. */
function getHome(input: PathsInput, variable: string): string {
  if (hasHome(input)) return input.home ?? "";
  const reason = input.home ? `the home folder is ${input.home}` : "the home folder is unknown";
  throw new Problem("STORE_UNREADABLE", `Could not find a folder for kay's files: ${reason}.`, {
    hint: `Set ${variable} to a writable directory.`,
    details: { path: input.home ?? "" },
  });
}
