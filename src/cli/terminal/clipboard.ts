import type { BrowserEnvironment, LaunchCommand } from "./browser.ts";
import { runOnTerminal } from "./run-on-terminal.ts";

/**
 * Finds the program that fills the clipboard of this machine; none over SSH, where the user's clipboard is on another
 * machine.
 */
export function findClipboardProgram({
  env,
  platform,
  find,
}: Pick<BrowserEnvironment, "env" | "platform" | "find">): LaunchCommand | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY || env.SSH_CLIENT) return undefined;
  const usual: LaunchCommand[] = [
    ...(platform === "darwin" ? [{ command: "pbcopy", args: [] }] : []),
    ...(platform === "win32" || env.WSL_DISTRO_NAME ? [{ command: "clip.exe", args: [] }] : []),
    ...(env.WAYLAND_DISPLAY ? [{ command: "wl-copy", args: [] }] : []),
    ...(env.DISPLAY ? [{ command: "xclip", args: ["-selection", "clipboard"] }] : []),
    ...(env.DISPLAY ? [{ command: "xsel", args: ["--input", "--clipboard"] }] : []),
  ];
  return usual.find(({ command }) => find(command) !== null);
}

/** Fills the clipboard with a text. Returns whether the program succeeded. */
export async function fillClipboard(program: LaunchCommand, text: string): Promise<boolean> {
  // clip.exe reads bytes other than UTF-16 in the system's code page.
  const input = program.command === "clip.exe" ? Buffer.from(`\ufeff${text}`, "utf16le") : text;
  return (await runOnTerminal(program, { input, quiet: true })) === 0;
}
