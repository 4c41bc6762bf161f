import { spawn } from "node:child_process";
import { isLoopbackHost } from "#net/addresses";

/** What decides whether and how a browser can be opened. All of it comes from outside, so that every machine can be tested on this one. */
export type BrowserEnvironment = {
  env: Record<string, string | undefined>;
  platform: string;
  /** Contents of /proc/version, or "" (WSL announces itself there). */
  procVersion(): string;
  /** Absolute path of a program on PATH, or null. */
  find(program: string): string | null;
  inCi: boolean;
  /** `--no-browser`. */
  forbidden: boolean;
  /** Setting `browser`, used like $BROWSER. */
  setting?: string;
};

/** How the browser is started: a program and its arguments, the URL whole and as one of them; never through a shell. */
export type LaunchCommand = { command: string; args: string[] };

/** Either a way to open the URL, or the one-line reason why none is tried. */
export type BrowserPlan = { launch: LaunchCommand } | { reason: string };

/**
 * Decide how to open `url`. `$BROWSER` is used wherever it is set, over SSH too; `none` opens nothing.
 * Only https:, or http: on loopback, is ever opened.
 */
export function planBrowser(url: string, world: BrowserEnvironment): BrowserPlan {
  const refusal = refuse(url);
  if (refusal) return { reason: refusal };
  if (world.forbidden) return { reason: "Not opening a browser (--no-browser)." };
  const chosen = world.setting ?? world.env.BROWSER;
  if (chosen) return fromChoice(chosen, url);
  if (world.inCi) return { reason: "No browser is opened in CI." };
  if (world.platform === "win32") return { launch: windows("rundll32", url) };
  const remote = Boolean(world.env.SSH_CONNECTION || world.env.SSH_TTY || world.env.SSH_CLIENT);
  if (world.platform === "darwin") {
    return remote ? { reason: "No browser is opened over SSH." } : { launch: { command: "open", args: [url] } };
  }
  if (/microsoft/i.test(world.procVersion()) || world.env.WSL_DISTRO_NAME) return underWsl(url, world);
  if (!world.env.DISPLAY && !world.env.WAYLAND_DISPLAY) {
    return { reason: remote ? "No browser is opened over SSH." : "There is no display to open a browser on." };
  }
  if (remote && !world.env.DISPLAY) return { reason: "No browser is opened over SSH." };
  const opener = world.find("xdg-open");
  return opener
    ? { launch: { command: opener, args: [url] } }
    : { reason: "xdg-open is not installed, so no browser can be opened." };
}

/** Why a URL is not opened at all, or null. */
function refuse(url: string): string | null {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return "That is not a web address; it is not opened.";
  }
  if (parsed.protocol === "https:" || (parsed.protocol === "http:" && isLoopbackHost(parsed.hostname))) return null;
  return `Only https: addresses are opened, not ${parsed.protocol}`;
}

/** `$BROWSER` may hold several, separated by colons, and `%s` for the URL (freedesktop's convention); the first is used. */
function fromChoice(chosen: string, url: string): BrowserPlan {
  const first = /^[A-Za-z]:[\\/]/.test(chosen) ? chosen : (chosen.split(":")[0] ?? chosen);
  const [command, ...args] = splitCommand(first);
  if (!command || command === "none") return { reason: "Not opening a browser (BROWSER=none)." };
  if (args.some((arg) => arg.includes("%s"))) {
    return { launch: { command, args: args.map((arg) => arg.replaceAll("%s", () => url)) } };
  }
  return { launch: { command, args: [...args, url] } };
}

/** cmd.exe and its `start` cut a URL at `&`; rundll32 takes it whole as one argument. */
function windows(command: string, url: string): LaunchCommand {
  return { command, args: ["url.dll,FileProtocolHandler", url] };
}

function underWsl(url: string, world: BrowserEnvironment): BrowserPlan {
  const wslview = world.find("wslview");
  if (wslview) return { launch: { command: wslview, args: [url] } };
  const rundll = world.find("rundll32.exe");
  if (rundll) return { launch: windows(rundll, url) };
  const explorer = world.find("explorer.exe");
  if (explorer) return { launch: { command: explorer, args: [url] } };
  return { reason: "No way was found to open a Windows browser from WSL (wslview, rundll32.exe, explorer.exe)." };
}

/** The words of a command as EDITOR, BROWSER and PAGER name it: a program and its arguments, some in quotes. Nothing else of a shell counts. */
export function splitCommand(command: string): string[] {
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

/** Without the terminal's streams, so that a text browser cannot take the keyboard; whether it succeeds cannot be known. */
export function launchProgram({ command, args }: LaunchCommand): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    // Some faults (ENOTDIR, E2BIG) are thrown, which rejects; others arrive as an event.
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  }).catch(() => false);
}
