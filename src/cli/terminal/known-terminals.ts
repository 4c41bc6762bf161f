import { cleanLine } from "#protocol/clean";

type Env = Record<string, string | undefined>;

type TerminalAbilities = {
  name: string;
  links: string;
  copies: string;
  /** Sequence that shows a desktop notification, if the terminal has one. */
  notifies?: "osc 9" | "osc 777";
};

/** Terminals by their environment variables; the first match counts. Their abilities are from their documentation. */
const TERMINALS: [sign: (env: Env) => boolean, known: TerminalAbilities][] = [
  [({ TERM }) => TERM === "dumb", { name: "A dumb terminal", links: "are written out", copies: "does not work" }],
  [
    ({ TERM_PROGRAM }) => TERM_PROGRAM === "Apple_Terminal",
    { name: "Terminal.app", links: "are written out", copies: "does not work" },
  ],
  [
    ({ TERM_PROGRAM }) => TERM_PROGRAM === "iTerm.app",
    { name: "iTerm2", links: "can be clicked", copies: "works if its settings allow it", notifies: "osc 9" },
  ],
  [({ TERM_PROGRAM }) => TERM_PROGRAM === "vscode", { name: "VS Code", links: "can be clicked", copies: "works" }],
  [
    ({ TERM_PROGRAM }) => TERM_PROGRAM === "WezTerm",
    { name: "WezTerm", links: "can be clicked", copies: "works", notifies: "osc 777" },
  ],
  [
    ({ TERM_PROGRAM, TERM }) => TERM_PROGRAM === "ghostty" || TERM === "xterm-ghostty",
    { name: "Ghostty", links: "can be clicked", copies: "works", notifies: "osc 777" },
  ],
  [
    ({ KITTY_WINDOW_ID }) => Boolean(KITTY_WINDOW_ID),
    { name: "kitty", links: "can be clicked", copies: "works", notifies: "osc 9" },
  ],
  [({ WT_SESSION }) => Boolean(WT_SESSION), { name: "Windows Terminal", links: "can be clicked", copies: "works" }],
  [
    ({ VTE_VERSION }) => Number(VTE_VERSION) >= 5000,
    { name: "A VTE terminal", links: "can be clicked", copies: "does not work", notifies: "osc 777" },
  ],
  [
    ({ TERM }) => /^(foot|alacritty)/.test(TERM ?? ""),
    // Alacritty ignores the sequence.
    { name: "foot or Alacritty", links: "can be clicked", copies: "works", notifies: "osc 777" },
  ],
  [({ TERM }) => TERM === "linux", { name: "The console", links: "are written out", copies: "does not work" }],
];

/** Returns the abilities of the terminal in this environment. */
export function findKnownTerminal(env: Env): TerminalAbilities {
  const terminal = TERMINALS.find(([sign]) => sign(env));
  if (terminal) return terminal[1];
  return { name: env.TERM || "A terminal", links: "may be clicked", copies: "may work" };
}

/**
 * Whether the terminal opens links that do not show their address (OSC 8). If that is unknown, and in multiplexers,
 * many versions of which drop such links, addresses are written out.
 */
export function canOpenLinks(env: Env): boolean {
  return findKnownTerminal(env).links === "can be clicked" && !env.TMUX && !env.STY && !env.ZELLIJ;
}

/** Maximum length of a notification, in characters. */
const LONGEST = 120;

/**
 * Formats a notification: the bell, and on terminals that have them a desktop notification with a line of text.
 * Multiplexers pass on only the bell.
 */
export function formatNotification(env: Record<string, string | undefined>, text: string): string {
  const isInside = Boolean(env.TMUX || env.STY || env.ZELLIJ);
  const { notifies } = findKnownTerminal(env);
  const line = cleanLine(text, LONGEST).replaceAll(";", ",");
  if (isInside || notifies === undefined) return BELL;
  return notifies === "osc 9" ? `${BELL}\x1b]9;${line}\x1b\\` : `${BELL}\x1b]777;notify;kay;${line}\x1b\\`;
}

const BELL = "\x07";

/** Formats the sequence that puts a text into the clipboard (OSC 52). A terminal does not say whether it did. */
export function formatClipboard(text: string): string {
  return `\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`;
}
