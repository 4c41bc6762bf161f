import { Argument } from "commander";
import { Problem } from "#protocol/errors";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";

/** Supported shells and their scripts in `completions/`. */
const SHELLS = { bash: "kay.bash", zsh: "kay.zsh", fish: "kay.fish", powershell: "kay.ps1" } as const;

type Shell = keyof typeof SHELLS;

/** Creates `kay completion <shell>`, which prints a shell completion script. */
export function createCompletionCommand(kay: Kay): Command {
  const names = Object.keys(SHELLS) as Shell[];
  return new Command("completion")
    .description("Print a shell completion script")
    .addArgument(new Argument("[shell]", "Shell type").choices(names))
    .addHelpText("after", AFTER)
    .action(async (shell: Shell | undefined) => {
      if (!shell) throw createMissingProblem(kay.env.SHELL, names);
      const script = await kay.readPackageFile(`completions/${SHELLS[shell]}`);
      if (kay.flags.json) return kay.out.writeJson({ shell, script });
      kay.terminal.stdout.write(script);
    });
}

/** The hint names the user's shell if SHELL is one of the supported ones. */
function createMissingProblem(shellName: string | undefined, names: Shell[]): Problem {
  const guess = names.find((name) => shellName?.endsWith(`/${name}`));
  return new Problem("USAGE", `Specify a shell: ${names.slice(0, -1).join(", ")} or ${names.at(-1)}.`, {
    hint: guess ? `You seem to use ${guess}. Run \`kay completion ${guess}\`.` : "For example: `kay completion bash`.",
  });
}

const AFTER = `
To enable completion in the current shell:
  $ source <(kay completion bash)
  $ source <(kay completion zsh)            # after compinit
  $ kay completion fish | source
  PS> kay completion powershell | Out-String | Invoke-Expression

To enable it in every shell, add the line to ~/.bashrc, ~/.zshrc,
~/.config/fish/config.fish or $PROFILE. Tab then completes commands, options and
values: services, tools, conversations and open requests that kay listed last.`;
