import { Argument } from "commander";
import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";

/** Shells that kay completes in, with the file of each in `completions`. */
const SHELLS = { bash: "kay.bash", zsh: "kay.zsh", fish: "kay.fish", powershell: "kay.ps1" } as const;

type Shell = keyof typeof SHELLS;

/** `kay completion <shell>`: the script that lets a shell complete kay's command lines. */
export function createCompletionCommand(kay: Kay): Command {
  const names = Object.keys(SHELLS) as Shell[];
  return new Command("completion")
    .description("Print a shell completion script")
    .addArgument(new Argument("[shell]", "Shell type").choices(names))
    .addHelpText("after", AFTER)
    .action(async (shell: Shell | undefined) => {
      if (!shell) throw missing(kay.env.SHELL, names);
      const script = await kay.readPackageFile(`completions/${SHELLS[shell]}`);
      if (kay.flags.json) return kay.out.writeJson({ shell, script });
      kay.terminal.stdout.write(script);
    });
}

/** The shell that somebody works in is known by SHELL, if it is one of these. */
function missing(own: string | undefined, names: Shell[]): Problem {
  const guess = names.find((name) => own?.endsWith(`/${name}`));
  return new Problem("USAGE", `Say for which shell: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}.`, {
    hint: guess ? `Yours seems to be ${guess}: \`kay completion ${guess}\`.` : "For example `kay completion bash`.",
  });
}

const AFTER = `
In the shell that runs:
  $ source <(kay completion bash)
  $ source <(kay completion zsh)            # after compinit
  $ kay completion fish | source
  PS> kay completion powershell | Out-String | Invoke-Expression

The same line in ~/.bashrc, ~/.zshrc, ~/.config/fish/config.fish or $PROFILE is
for every shell. TAB then completes commands, options and their values:
services, tools, conversations and what waits as kay listed them last.`;
