/**
 * Returns Notion's name for the language of a code block, or "plain text" for unknown ones. Source:
 * https://developers.notion.com/reference/block#code
 */
export function toNotionLanguage(name: string | undefined): string {
  const word = name?.trim().toLowerCase().split(/\s/)[0] ?? "";
  const known = SHORT[word] ?? word;
  return LANGUAGES.has(known) ? known : "plain text";
}

const SHORT: Record<string, string | undefined> = {
  cpp: "c++",
  cs: "c#",
  csharp: "c#",
  console: "shell",
  fs: "f#",
  golang: "go",
  hs: "haskell",
  js: "javascript",
  jsx: "javascript",
  kt: "kotlin",
  md: "markdown",
  objc: "objective-c",
  ps1: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shell",
  tf: "hcl",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "shell",
};

const LANGUAGES = new Set(
  (
    "abap arduino bash basic c clojure coffeescript c++ c# css dart diff docker elixir elm erlang flow fortran f# gherkin glsl go graphql " +
    "groovy haskell hcl html java javascript json julia kotlin latex less lisp livescript lua makefile markdown markup matlab mermaid nix " +
    "objective-c ocaml pascal perl php powershell prolog protobuf python r reason ruby rust sass scala scheme scss shell sql swift toml " +
    "typescript verilog vhdl webassembly xml yaml"
  ).split(" "),
);
