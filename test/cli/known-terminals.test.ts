import { expect, test } from "vitest";
import { canOpenLinks } from "#cli/terminal/known-terminals";

test.for<[Record<string, string>, boolean]>([
  [{ TERM_PROGRAM: "Apple_Terminal", TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "linux" }, false],
  [{ TERM_PROGRAM: "iTerm.app" }, true],
  [{ KITTY_WINDOW_ID: "1" }, true],
  [{ KITTY_WINDOW_ID: "1", TMUX: "/tmp/tmux-0/default,1,0" }, false],
  [{ VTE_VERSION: "7600", STY: "1.pts" }, false],
  [{ VTE_VERSION: "7600" }, true],
  [{ VTE_VERSION: "4800" }, false],
])("N51 with %o, links without their address can be opened: %s", ([env, can]) => {
  expect(canOpenLinks(env)).toBe(can);
});
