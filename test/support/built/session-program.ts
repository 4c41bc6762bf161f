/**
 * A minimal session: a box with the typed text, drawn on the real terminal. Enter commits the line, `!` throws, `?`
 * rejects, Ctrl+Z stops it, `q` ends it.
 */
import { endOnCrash, openTerminal } from "#process";
import { createScreen, SESSION_MODES } from "#ui/screen/screen";

const { terminal, signal } = openTerminal();
const { stdin, stdout, stderr } = terminal;
endOnCrash(terminal, (error) => {
  stderr.write(`✗ ${error instanceof Error ? error.message : error}\n`);
  return 1;
});
const size = () => ({ columns: stdout.columns(), rows: stdout.rows() });
const screen = createScreen({ write: stdout.write, size, reflows: "not the cursor line" });
let draft = "";

const draw = () => {
  const edge = "─".repeat(size().columns - 2);
  const text = `> ${draft}`.padEnd(size().columns - 4);
  screen.draw({ lines: [`┌${edge}┐`, `│ ${text} │`, `└${edge}┘`], cursor: { row: 1, column: 4 + draft.length } });
};
const key = (character: string) => {
  if (character === "!") throw new Error("It was thrown.");
  if (character === "?") void Promise.reject(new Error("It was rejected."));
  else if (character === "\x1a") return terminal.suspend();
  else if (character === "\r") {
    screen.commit(`sent: ${draft}`);
    draft = "";
  } else draft += character;
  draw();
};
const end = (code: number) => {
  release();
  releaseKeys();
  process.exit(code);
};
const release = terminal.modes(SESSION_MODES.on, SESSION_MODES.off, screen.clear);
// As long as a session needs to load what draws it.
await new Promise((resolve) => setTimeout(resolve, 100));
const releaseKeys = stdin.bytes((bytes) => {
  for (const character of new TextDecoder().decode(bytes)) character === "q" ? end(0) : key(character);
});
terminal.onContinue(() => {
  screen.forget();
  draw();
});
signal.addEventListener("abort", () => end(signal.reason === "SIGTERM" ? 143 : 129));
draw();
setInterval(() => {}, 1_000);
