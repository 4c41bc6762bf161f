/**
 * What the session switches on in a terminal, and off again on every way out. A terminal that does not know one of them ignores it.
 *
 * - `?2004` bracketed paste: pasted text comes between marks, so that its line breaks are no Enter.
 * - `?1004` focus: the terminal tells when its window is left and come back to.
 * - `>1u` kitty's keyboard protocol, pushed and popped: Shift+Enter and Ctrl+Enter differ from Enter.
 * - `>4;1m` modifyOtherKeys for xterm and those like it, which says the same in another way. A terminal that knows both lets kitty's win;
 *   level 1 leaves Ctrl+C, Tab and every key that already has bytes of its own as they are.
 *
 * Switching off also ends what a drawing that was cut short may have left: synchronized output, no wrapping, a hidden cursor, colours
 * and a link.
 */
export const SESSION_MODES = {
  on: "\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[>4;1m",
  off: "\x1b[?2026l\x1b[?7h\x1b[>4m\x1b[<u\x1b[?1004l\x1b[?2004l\x1b[0m\x1b]8;;\x1b\\\x1b[?25h",
} as const;
