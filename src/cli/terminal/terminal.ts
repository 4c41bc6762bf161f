/**
 * The terminal for commands: three streams and their properties. `src/process.ts` creates it from the process, tests
 * from strings; nothing else in kay uses a stream.
 */
export type Terminal = {
  stdout: Sink;
  stderr: Sink;
  stdin: Source;
  /** Name of the terminal for users, unique among machines: `laptop pts/3`; undefined if unknown. */
  place?: string;
  /**
   * Switches terminal modes on by writing `on`. `leave`, which removes the drawing, and `off` follow once: on release,
   * or on any other exit, including a crash or a signal.
   */
  modes(on: string, off: string, leave?: () => void): () => void;
  /** Stops like a shell job on Ctrl+Z, with the terminal restored. Does nothing without job control. */
  suspend(): void;
  /** Called when the process continues after a stop. The terminal has its modes again, but not its content. */
  onContinue(listener: () => void): () => void;
};

export type Sink = {
  write(text: string): void;
  isTerminal: boolean;
  /** Width in cells; 80 if unknown. */
  columns(): number;
  /** Height in rows; 24 if unknown. */
  rows(): number;
  /** Called on every change of its size. */
  onResize(listener: () => void): () => void;
};

export type Source = {
  isTerminal: boolean;
  /** Yields bytes as they arrive; ends at the end of the input. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * Delivers all keyboard input as it arrives, including earlier input, while `onBytes` is registered (raw mode).
   * Ctrl+C is an ordinary byte. Returns the function that restores cooked mode. The end of the input counts as SIGHUP.
   */
  bytes(onBytes: (bytes: Uint8Array) => void): () => void;
  /**
   * Removes earlier input just before a question is shown, so that every key typed after it counts, however fast.
   *
   * @returns the removed input, lines with `\n` at their end
   */
  forget(): Promise<string>;
  /**
   * Reads one line that is typed after the call (or since `forget`; with `more`, since the previous line). `show` prints
   * the prompt, once the keyboard is read. `null` at the end of the input.
   */
  line(signal: AbortSignal, question?: { more?: boolean; show?(): void }): Promise<string | null>;
};

/**
 * Whether output to this sink may have color: by flag, then NO_COLOR, FORCE_COLOR, CLICOLOR, TERM=dumb, then whether it
 * is a terminal.
 */
export function wantsColor(sink: Sink, env: Record<string, string | undefined>, flag?: string): boolean {
  if (flag === "always") return true;
  if (flag === "never" || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  if (env.CLICOLOR === "0" || env.TERM === "dumb") return false;
  return sink.isTerminal;
}

/** Whether kay can prompt: a terminal at both ends, no CI, no `--no-input`. */
export function isInteractive(terminal: Terminal, env: Record<string, string | undefined>, noInput: boolean): boolean {
  return terminal.stdin.isTerminal && terminal.stderr.isTerminal && !noInput && !isCi(env);
}

/** Whether the environment requires plain text: for screen readers, and for terminals that cannot redraw. */
export function wantsPlain(env: Record<string, string | undefined>): boolean {
  return isSet(env.ACCESSIBLE) || isSet(env.INK_SCREEN_READER) || env.TERM === "dumb";
}

/** Whether a switch variable is set to a value other than 0 and false. */
export function isSet(value: string | undefined): boolean {
  return Boolean(value) && value !== "0" && value?.toLowerCase() !== "false";
}

/** Whether this is CI, as common runners announce it; `CI=false` and `CI=0` do not count. */
export function isCi(env: Record<string, string | undefined>): boolean {
  const ci = env.CI?.toLowerCase();
  if (ci) return ci !== "false" && ci !== "0";
  return Boolean(
    env.GITHUB_ACTIONS || env.GITLAB_CI || env.BUILDKITE || env.TF_BUILD || env.JENKINS_URL || env.TEAMCITY_VERSION,
  );
}
