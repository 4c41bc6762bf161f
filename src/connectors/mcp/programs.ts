/**
 * Starts programs on the user's machine. Only the local backend has it; a shared backend would run programs that
 * strangers chose.
 */
export type Programs = {
  /**
   * Starts a program. Never throws; failures are reported by `ended`.
   *
   * @param command the program and its arguments, run without a shell
   * @param options `env`: names of additional environment variables to pass on
   */
  start(command: string[], options: SpawnOptions, hears: ProgramEvents): Program;
  /** Returns the names that are not set in the environment. */
  lacks(env: string[]): string[];
  /** Returns the values in the environment, which a program may repeat in its answers. */
  readValues(env: string[]): string[];
};

export type SpawnOptions = { folder?: string; env?: string[] };

/** Events of a running program. `ended` is the last one. */
export type ProgramEvents = {
  output(chunk: Buffer): void;
  errors(chunk: Buffer): void;
  onEnd(end: ProgramEnd): void;
};

/** How a program ended: with a code, by a signal, or because it could not be started (`ENOENT`). */
export type ProgramEnd = { code: number | null; signal: string | null; fault?: string };

export type Program = {
  /** Resolves when the program accepts more input. */
  write(text: string): Promise<void>;
  /** Asks the program and its child processes to end, then kills them. Resolves when they are gone. */
  end(): Promise<void>;
};
