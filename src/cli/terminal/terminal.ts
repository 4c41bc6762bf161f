/**
 * The terminal as commands see it: three streams and what is known of them. Built by `src/process.ts` from the process, by tests from
 * strings; nothing else in kay touches a stream.
 */
export type Terminal = {
  stdout: Sink;
  stderr: Sink;
  stdin: Source;
  /** Which it is among those of all machines, for people: `laptop pts/3`; undefined where that is not known. */
  place?: string;
  /**
   * Switch modes of the terminal on by writing `on`. `leave`, which takes away what is drawn, and then `off` follow once: when this is
   * released, or on any other way out, a crash and a signal among them.
   */
  modes(on: string, off: string, leave?: () => void): () => void;
  /** Stop as a job of the shell does for Ctrl+Z: with the terminal as it was. Nothing happens where no job can be stopped. */
  suspend(): void;
  /** Called when the process continues after a stop: the terminal is as before, except for its content. */
  onContinue(listener: () => void): () => void;
};

export type Sink = {
  write(text: string): void;
  isTerminal: boolean;
  /** Width in cells; 80 where it is not known. */
  columns(): number;
  /** Height in rows; 24 where it is not known. */
  rows(): number;
  /** To be told of every change of its size. */
  onResize(listener: () => void): () => void;
};

export type Source = {
  isTerminal: boolean;
  /** Bytes as they come; ends at the end of the input. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * All that comes from the keyboard, also what was typed before, as it comes (raw mode) while `onBytes` is registered. Ctrl+C is a byte
   * like any other. Returns the way back. The end of the input is that of the terminal: the same as SIGHUP.
   */
  bytes(onBytes: (bytes: Uint8Array) => void): () => void;
  /**
   * Take away what was typed so far, just before a question is shown: then every key typed in sight of it counts, however fast.
   *
   * @returns what it was, lines with `\n` at their end, for who wants to keep it
   */
  forget(): Promise<string>;
  /** One line, typed after the call (or since `forget`; with `more`, since the line before). `null` at the end of the input. */
  line(signal: AbortSignal, more?: boolean): Promise<string | null>;
};

/** Whether output to this sink may have colour: flag, then NO_COLOR, FORCE_COLOR, CLICOLOR, TERM=dumb, then whether it is a terminal. */
export function wantsColor(sink: Sink, env: Record<string, string | undefined>, flag?: string): boolean {
  if (flag === "always") return true;
  if (flag === "never" || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== "0") return true;
  if (env.CLICOLOR === "0" || env.TERM === "dumb") return false;
  return sink.isTerminal;
}

/** Whether a person can be asked: a terminal on both ends, no CI, no `--no-input`. */
export function isInteractive(terminal: Terminal, env: Record<string, string | undefined>, noInput: boolean): boolean {
  return terminal.stdin.isTerminal && terminal.stderr.isTerminal && !noInput && !isCi(env);
}

/** Whether the environment asks for output that is only text: for screen readers, and for a terminal that can redraw nothing. */
export function wantsPlain(env: Record<string, string | undefined>): boolean {
  return isSet(env.ACCESSIBLE) || isSet(env.INK_SCREEN_READER) || env.TERM === "dumb";
}

/** Whether a variable that switches something is set, and not to 0 or false. */
export function isSet(value: string | undefined): boolean {
  return Boolean(value) && value !== "0" && value?.toLowerCase() !== "false";
}

/** CI as the common runners announce it; `CI=false` and `CI=0` are no CI. */
export function isCi(env: Record<string, string | undefined>): boolean {
  const ci = env.CI?.toLowerCase();
  if (ci) return ci !== "false" && ci !== "0";
  return Boolean(
    env.GITHUB_ACTIONS || env.GITLAB_CI || env.BUILDKITE || env.TF_BUILD || env.JENKINS_URL || env.TEAMCITY_VERSION,
  );
}
