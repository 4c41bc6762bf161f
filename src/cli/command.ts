import { Command as CommanderCommand } from "commander";
import type { ExitCode } from "./exit-codes.ts";

// biome-ignore lint/suspicious/noExplicitAny: commander passes the arguments and options as the action declares them.
// biome-ignore lint/suspicious/noConfusingVoidType: most actions return nothing, which means exit code 0.
type Action = (...given: any[]) => void | Promise<ExitCode | void>;

/** A command whose action can return an exit code. No value means 0; errors have their own codes. */
export class Command extends CommanderCommand {
  /** The value that the action returned. */
  exit?: ExitCode;

  override createCommand(name?: string): Command {
    return new Command(name);
  }

  override action(run: Action): this {
    return super.action(async (...given) => {
      const exit = await run(...given);
      if (exit !== undefined) this.exit = exit;
    });
  }
}

/** Collects the values of an option that can be repeated. */
export function collectValues(value: string, before: string[] = []): string[] {
  return [...before, value];
}
