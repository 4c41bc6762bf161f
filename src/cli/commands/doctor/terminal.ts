import { findKnownTerminal } from "../../terminal/known-terminals.ts";
import { type Sink, wantsColor } from "../../terminal/terminal.ts";
import { type Check, ok, skip, warn } from "./check.ts";

type Env = Record<string, string | undefined>;

/** Width in cells below which tables and cards are hard to read. */
const NARROW = 40;

/** Describes the terminal's abilities, according to the environment. */
export const terminalCheck: Check = {
  id: "terminal",
  title: "Terminal",
  async look({ kay, machine }) {
    const { stdin, stdout, stderr } = kay.terminal;
    const ends = { stdin, stdout, stderr };
    const missing = Object.entries(ends).flatMap(([name, { isTerminal }]) => (isTerminal ? [] : [name]));
    if (!stdout.isTerminal)
      return ok(`${missing.join(", ")}: not a terminal, so output has no color, and kay does not prompt.`);
    const says = describe(kay.flags.plain, stdout, kay.env, kay.flags.color);
    const piped = missing.length > 0 ? ` ${missing.join(" and ")} is not a terminal.` : "";
    const summary = `${says}${piped}`;
    if (machine.platform !== "win32" && !isUnicode(kay.env))
      return warn(
        `${summary} The locale is not UTF-8, so non-ASCII characters may be garbled.`,
        "Set LANG=C.UTF-8, or another locale with UTF-8.",
      );
    if (machine.platform !== "win32" && !kay.env.TERM)
      return warn(`${summary} TERM is not set.`, "Set TERM to your terminal's type, such as xterm-256color.");
    if (stdout.columns() < NARROW) return warn(`${summary} It is narrow.`, `Widen it to ${NARROW} columns or more.`);
    return ok(summary);
  },
};

function describe(plain: boolean, stdout: Sink, env: Env, color: string | undefined): string {
  const { name, links, copies } = findKnownTerminal(env);
  const within = env.TMUX ? ", in tmux" : env.STY ? ", in screen" : env.ZELLIJ ? ", in zellij" : "";
  const colours = wantsColor(stdout, env, color)
    ? /^(truecolor|24bit)$/.test(env.COLORTERM ?? "")
      ? "true color"
      : "colours"
    : "no color";
  const mode = plain ? " Plain mode: nothing is redrawn." : "";
  const size = `${stdout.columns()} × ${stdout.rows()}`;
  return `${name}${within}, ${size}, ${colours}; links ${links}, copying (OSC 52) ${copy(env, copies)}.${mode}`;
}

function copy(env: Env, copies: string): string {
  if (env.TMUX && copies !== "does not work") return `${copies}, if tmux has \`set -g set-clipboard on\``;
  return env.STY ? "does not work in screen" : copies;
}

/** The first of the three that is set decides (POSIX, 8.2). */
function isUnicode(env: Env): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value) ?? "";
  return /utf-?8/i.test(locale);
}

/** Reports which program would open a link, without opening one. */
export const browserCheck: Check = {
  id: "browser",
  title: "Browser",
  async look(facts) {
    const { kay, machine } = facts;
    await facts.settings();
    const plan = await kay.planBrowser("https://example.com/");
    if ("reason" in plan) {
      if (/--no-browser|BROWSER=none|in CI/.test(plan.reason)) return skip(`${plan.reason} Links are printed.`);
      const fix = "Open printed links yourself, or set a program with `kay config set browser <program>`.";
      return warn(`${plan.reason} Links are printed.`, fix);
    }
    const { command } = plan.launch;
    const isPath = /[\\/]/.test(command) || ["open", "rundll32"].includes(command);
    if (!isPath && machine.find(command) === null)
      return warn(
        `${command} is set to open links, but is not on the PATH.`,
        "Set an installed program with BROWSER or `kay config set browser <program>`.",
      );
    return ok(`Links are opened by ${command}.`);
  },
};
