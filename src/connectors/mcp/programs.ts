/**
 * Programs that kay's own backend may start on its person's machine. A backend of many people has none of this: it would run what a stranger
 * chose.
 */
export type Programs = {
  /**
   * Start a program, which never throws: what goes wrong is told by `ended`.
   *
   * @param command the program and its arguments, which no shell sees
   * @param options `env`: names of what it is given of the environment besides what every program gets
   */
  start(command: string[], options: SpawnOptions, hears: ProgramEvents): Program;
  /** Which of these names have no value in the environment. */
  lacks(env: string[]): string[];
};

export type SpawnOptions = { folder?: string; env?: string[] };

/** What is heard of a program that runs. After `ended` nothing more comes. */
export type ProgramEvents = {
  output(chunk: Buffer): void;
  errors(chunk: Buffer): void;
  ended(how: ProgramEnd): void;
};

/** How a program ended: with a code, by a signal, or because it could not be started (`ENOENT`). */
export type ProgramEnd = { code: number | null; signal: string | null; fault?: string };

export type Program = {
  /** Resolves when the program may be given more. */
  write(text: string): Promise<void>;
  /** Ask it to end, then make it, with everything that it started. Resolves when it is gone. */
  end(): Promise<void>;
};
