import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseDocument, useKay } from "#test/kay";

const kay = useKay();
const script = readFileSync(new URL("../../../completions/kay.zsh", import.meta.url), "utf8");

test("completion prints the script of a shell; --json puts it into a document", async () => {
  const ann = kay();
  expect(await ann("completion zsh")).toEqual({ exit: 0, stdout: script, stderr: "" });
  expect(parseDocument(await ann("completion zsh --json"))).toEqual({ shell: "zsh", script });
});

test.for([
  ["/usr/bin/fish", "You seem to use fish. Run `kay completion fish`."],
  ["/bin/dash", "For example: `kay completion bash`."],
  [undefined, "For example: `kay completion bash`."],
])("completion without a shell names the four, and the one of SHELL=%s", async ([SHELL, hint]) => {
  const stderr = `✗ Specify a shell: bash, zsh, fish or powershell.\n  ${hint}\n`;
  expect(await kay()("completion", { env: SHELL ? { SHELL } : {} })).toEqual({ exit: 2, stdout: "", stderr });
});

test("completion for another shell is a usage error", async () => {
  expect(await kay()("completion tcsh")).toEqual({
    exit: 2,
    stdout: "",
    stderr:
      "✗ Command-argument value 'tcsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish, powershell.\n" +
      "  Run `kay help completion`.\n",
  });
});
