import { Command as CommanderCommand } from "commander";

// biome-ignore lint/suspicious/noExplicitAny: commander passes the arguments and options as the action declares them.
// biome-ignore lint/suspicious/noConfusingVoidType: most actions return nothing, which means exit code 0.
type Action = (...args: any[]) => void | Promise<ExitCode | void>;

/** A command whose action can return an exit code. Without a value, the code is 0; errors have separate codes. */
export class Command extends CommanderCommand {
  /** The value that the action returned. */
  exit?: ExitCode;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  override action(run: Action): this {
    return super.action(async (...values) => {
      const exit = await run(...values);
      if (exit !== undefined) this.exit = exit;
    });
  }
}

/** Collects the values of an option that can be repeated. */
export function collectValues(value: string, previous: string[] = []): string[] {
  return [...previous, value];
}

/** Exit codes of commands (docs/scripting.md). A signal exits with 128 plus its number. */
export const EXIT = { ok: 0, failed: 1, usage: 2, auth: 4, denied: 5, unreachable: 6, pending: 8 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
