import { spawn } from "node:child_process";
import { isLoopbackHost } from "#net/addresses";

/**
 * Facts that decide whether and how a browser can be opened. They are parameters, so that tests can simulate every
 * machine.
 */
export type BrowserEnvironment = {
  env: Record<string, string | undefined>;
  platform: string;
  /** Returns the content of /proc/version, which names WSL, or "". */
  procVersion(): string;
  /** Returns the absolute path of a program on PATH, or null. */
  find(program: string): string | null;
  inCi: boolean;
  /** `--no-browser`. */
  forbidden: boolean;
  /** Setting `browser`, used like $BROWSER. */
  setting?: string;
};

/** How to start the browser: a program and its arguments, one of which is the whole URL; never through a shell. */
export type LaunchCommand = { command: string; args: string[] };

/** Either a way to open the URL, or the reason why not, in one line. */
export type BrowserPlan = { launch: LaunchCommand } | { reason: string };

/**
 * Plans how to open `url`. `$BROWSER` is used if it is set, even over SSH; `none` opens nothing. Only https:, or http:
 * on loopback, is ever opened.
 */
export function planBrowser(url: string, environment: BrowserEnvironment): BrowserPlan {
  const refusal = refuse(url);
  if (refusal) return { reason: refusal };
  if (environment.forbidden) return { reason: "Not opening a browser (--no-browser)." };
  const program = environment.setting ?? environment.env.BROWSER;
  if (program) return planFromChoice(program, url);
  if (environment.inCi) return { reason: "No browser is opened in CI." };
  if (environment.platform === "win32") return { launch: openOnWindows("rundll32", url) };
  const remote = Boolean(environment.env.SSH_CONNECTION || environment.env.SSH_TTY || environment.env.SSH_CLIENT);
  if (environment.platform === "darwin") {
    return remote ? { reason: "No browser is opened over SSH." } : { launch: { command: "open", args: [url] } };
  }
  if (/microsoft/i.test(environment.procVersion()) || environment.env.WSL_DISTRO_NAME)
    return planUnderWsl(url, environment);
  if (!environment.env.DISPLAY && !environment.env.WAYLAND_DISPLAY) {
    return { reason: remote ? "No browser is opened over SSH." : "There is no display to open a browser on." };
  }
  if (remote && !environment.env.DISPLAY) return { reason: "No browser is opened over SSH." };
  const opener = environment.find("xdg-open");
  return opener
    ? { launch: { command: opener, args: [url] } }
    : { reason: "xdg-open is not installed, so no browser can be opened." };
}

/** Returns why a URL is never opened, or null. */
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
function planFromChoice(choice: string, url: string): BrowserPlan {
  const first = /^[A-Za-z]:[\\/]/.test(choice) ? choice : (choice.split(":")[0] ?? choice);
  const [command, ...args] = splitCommand(first);
  if (!command || command === "none") return { reason: "Not opening a browser (BROWSER=none)." };
  if (args.some((arg) => arg.includes("%s"))) {
    return { launch: { command, args: args.map((arg) => arg.replaceAll("%s", () => url)) } };
  }
  return { launch: { command, args: [...args, url] } };
}

/** cmd.exe and its `start` cut a URL at `&`; rundll32 accepts it as one argument. */
function openOnWindows(command: string, url: string): LaunchCommand {
  return { command, args: ["url.dll,FileProtocolHandler", url] };
}

function planUnderWsl(url: string, environment: BrowserEnvironment): BrowserPlan {
  const wslview = environment.find("wslview");
  if (wslview) return { launch: { command: wslview, args: [url] } };
  const rundll = environment.find("rundll32.exe");
  if (rundll) return { launch: openOnWindows(rundll, url) };
  const explorer = environment.find("explorer.exe");
  if (explorer) return { launch: { command: explorer, args: [url] } };
  return { reason: "Found no way to open a Windows browser from WSL (wslview, rundll32.exe, explorer.exe)." };
}

/**
 * Splits a command as in EDITOR, BROWSER and PAGER: a program and its arguments, some in quotes. No other shell syntax
 * is supported.
 */
export function splitCommand(command: string): string[] {
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

/**
 * Starts a program without the terminal's streams, so that a text browser cannot take the keyboard. Returns false if it does not start, or
 * fails at once.
 */
export function launchProgram({ command, args }: LaunchCommand): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    // Some faults (ENOTDIR, E2BIG) are thrown; others arrive as an event.
    const child = spawn(command, args, { stdio: "ignore", detached: true, windowsHide: true });
    const timer = setTimeout(resolve, FAILURE_WAIT_MS, true);
    const end = (succeeded: boolean) => {
      clearTimeout(timer);
      resolve(succeeded);
    };
    child.once("error", () => end(false));
    child.once("exit", (code) => end(code === 0 || MEANINGLESS_CODE.test(command)));
    child.unref();
  }).catch(() => false);
}

/** How long a program may take to fail. A browser that stays open is a success after that. */
const FAILURE_WAIT_MS = 1_000;

/** explorer.exe ends with 1 after it opened a link, and rundll32.exe with any code. */
const MEANINGLESS_CODE = /(?:explorer|rundll32)(?:\.exe)?$/i;
