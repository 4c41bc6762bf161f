import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { expect, onTestFinished, test } from "vitest";
import { type Home, openHome } from "#test/built/home";
import { until } from "#test/built/processes";
import { needs } from "#test/needs";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Titles are written by models and by other people. */
const TITLES: [id: string, title: string][] = [
  ["session_1_aa", "Login `touch pwned` $(touch pwned); touch pwned"],
  ["session_2_bb", `It's "quoted" \\ 100% \u001b[31mred\u001b[0m\nsecond line`],
  ["$(touch pwned)", "an id that no backend gives"],
];

function homeWithTitles(): Home {
  const home = openHome();
  const folder = join(home.state, "completion/default");
  mkdirSync(folder, { recursive: true });
  const entry = { backend: "embedded", at: Date.now(), values: TITLES };
  writeFileSync(join(folder, "sessions.json"), JSON.stringify(entry));
  writeFileSync(join(home.folder, "report one.md"), "");
  return home;
}

/** Checks that nothing typed or listed was executed. */
const expectUntouched = (home: Home) => expect(readdirSync(home.folder)).not.toContain("pwned");

const complete = (home: Home, ...words: string[]) => home.run(["__complete", "bash", String(words.length), ...words]);

test("__complete answers with a kind, the text before the value, and a line for each value", async () => {
  const home = homeWithTitles();
  expect(await complete(home, "--color=a")).toEqual({
    exit: 0,
    stdout: "values\t--color=\n--color=auto\t\n--color=always\t\n",
    stderr: "",
  });
  expect((await complete(home, "services", "add", "")).stdout).toBe("files\t\n");
  expect((await complete(home, "attach", "")).stdout).toBe(
    "values\t\nsession_1_aa\tLogin `touch pwned` $(touch pwned); touch pwned\n" +
      `session_2_bb\tIt's "quoted" \\ 100% red second line\nlatest\tthe newest\n`,
  );
  expectUntouched(home);
});

test("__complete writes nothing, starts nothing and prints nothing on stderr, whatever is wrong", async () => {
  const home = openHome();
  for (const words of [[], ["0"], ["x"], ["1", "co"], ["9999999"], ["2", "attach"]])
    expect((await home.run(["__complete", "zsh", ...words])).stderr).toBe("");
  expect([existsSync(home.state), existsSync(home.config), existsSync(home.data)]).toEqual([false, false, false]);
});

test("a profile, its backend and its values are found by reading only the settings", async () => {
  const home = homeWithTitles();
  mkdirSync(home.config, { recursive: true });
  const profiles = { work: { "api-url": "https://kay.example.test/api" }, home: {} };
  writeFileSync(join(home.config, "config.json"), JSON.stringify({ profiles }));
  mkdirSync(join(home.state, "completion/work"));
  const entry = { backend: "https://kay.example.test", at: Date.now(), values: [["session_9_zz", "At work"]] };
  writeFileSync(join(home.state, "completion", "work", "sessions.json"), JSON.stringify(entry));
  expect((await complete(home, "--profile", "")).stdout).toBe("values\t\ndefault\t\nwork\t\nhome\t\n");
  const atWork = "values\t\nsession_9_zz\tAt work\nlatest\tthe newest\n";
  expect((await complete(home, "--profile", "work", "attach", "")).stdout).toBe(atWork);
  expect((await home.run(["__complete", "zsh", "2", "attach"], { env: { KAY_PROFILE: "work" } })).stdout).toBe(atWork);
});

for (const [shell, file] of Object.entries({
  bash: "kay.bash",
  zsh: "kay.zsh",
  fish: "kay.fish",
  powershell: "kay.ps1",
})) {
  test(`kay completion ${shell} prints the script, which says how to install it`, async () => {
    const stdout = readFileSync(`${root}completions/${file}`, "utf8");
    expect(await openHome().run(["completion", shell])).toEqual({ exit: 0, stdout, stderr: "" });
    expect(stdout).toContain(`kay completion ${shell}`);
    expect(stdout).toContain(`kay __complete ${shell} `);
    expect(stdout).not.toMatch(/\beval\b/);
  });
}

test("the script for PowerShell registers a completer that passes words unchanged", () => {
  const script = readFileSync(`${root}completions/kay.ps1`, "utf8");
  expect(script).toMatch(/^Register-ArgumentCompleter -Native -CommandName kay -ScriptBlock \{$/m);
  expect(script).toContain("& kay __complete powershell $index @words");
  expect(script.replace(/^#.*/gm, "")).not.toContain("Invoke-Expression");
  for (const [open, close] of ["{}", "()", "[]"])
    expect(script.split(open ?? "").length).toBe(script.split(close ?? "").length);
});

needs("bash")("bash completes a line as it is typed", async () => {
  const home = homeWithTitles();
  const shell = await openTerminal(home, "bash", ["--norc", "--noprofile"], "source <(kay completion bash)");
  expect(await shell.tab("kay conne")).toMatch(/kay connect$/);
  expect(await shell.tab("kay connect jira conf")).toMatch(/kay connect jira confluence $/);
  expect(await shell.tab("kay --color=al")).toMatch(/kay --color=always $/);
  expect(await shell.tab("kay approvals test slack.send_m")).toMatch(/kay approvals test slack\.send_message $/);
  expect(await shell.tab("kay config set model off")).toMatch(/off$/);
  expect(await shell.tab("kay services add repo")).toMatch(/kay services add report\\ one\.md $/);
  expect(await shell.tab("kay sessions export latest --output=repo")).toMatch(/--output=report\\ one\.md $/);
  expect(await shell.tab('kay ask "$(touch pwned)" --conf')).toMatch(/--confirm $/);
  expect(await shell.tab("kay attach session_1")).toMatch(/kay attach session_1_aa $/);
  const list = await shell.tab("kay attach session_", "\t\t");
  expect(list).toContain("session_1_aa  (Login `touch pwned` $(touch pwned); touch pwned)");
  expect(list).toContain(`session_2_bb  (It's "quoted" \\ 100% red second line)`);
  expectUntouched(home);
});

needs("zsh")("zsh completes a line as it is typed", async () => {
  const home = homeWithTitles();
  const setup = "autoload -Uz compinit; compinit -u -d zcompdump; source <(kay completion zsh)";
  const shell = await openTerminal(home, "zsh", ["-f", "-i"], setup);
  expect(await shell.tab("kay connect jira conf")).toMatch(/kay connect jira confluence $/);
  expect(await shell.tab("kay --color=al")).toMatch(/kay --color=always $/);
  expect(await shell.tab("kay services add repo")).toMatch(/kay services add report\\ one\.md $/);
  expect(await shell.tab("kay sessions export latest --output=repo")).toMatch(/--output=report\\ one\.md $/);
  expect(await shell.tab('kay ask "$(touch pwned)" --conf')).toMatch(/--confirm $/);
  expect(await shell.tab("kay attach session_1")).toMatch(/kay attach session_1_aa $/);
  const list = await shell.tab("kay attach ");
  expect(list).toContain("session_1_aa  -- Login `touch pwned` $(touch pwned); touch pwned");
  expect(list).toContain(`session_2_bb  -- It's "quoted" \\ 100% red second line`);
  expectUntouched(home);
});

needs("fish")("fish completes a line", async () => {
  const home = homeWithTitles();
  const lines = async (line: string) => fish(home, `kay completion fish | source; complete -C '${line}'`);
  expect(await lines("kay connect jira conf")).toEqual(["confluence\tConfluence"]);
  expect(await lines("kay --color=al")).toEqual(["--color=always"]);
  expect(await lines("kay confirm TOKEN --app")).toEqual(["--approve\tApprove and run the plan"]);
  expect(await lines("kay services add repo")).toEqual(["report one.md"]);
  expect(await lines("kay sessions export latest --output=repo")).toEqual(["--output=report one.md"]);
  expect(await lines("kay attach ")).toEqual([
    "session_1_aa\tLogin `touch pwned` $(touch pwned); touch pwned",
    `session_2_bb\tIt's "quoted" \\ 100% red second line`,
    "latest\tthe newest",
  ]);
  expect(await lines('kay ask "$(touch pwned)" --conf')).toEqual([
    "--confirm\tShow the plan and ask before doing anything",
  ]);
  expectUntouched(home);
});

function fish(home: Home, script: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    execFile("fish", ["--no-config", "-c", script], { cwd: home.folder, env: home.env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout.split("\n").filter(Boolean)),
    );
  });
}

/**
 * A shell in a terminal: `tab` types a line, a Tab and a mark, and returns what the terminal shows up to the mark. A
 * shell handles keys one after another, so by then the completion is done.
 */
async function openTerminal(home: Home, shell: string, args: string[], setup: string) {
  const size = { cols: 200, rows: 50 };
  const pty = spawn(shell, args, { ...size, cwd: home.folder, env: { ...home.env, PS1: "> ", TERM: "dumb" } });
  let output = "";
  pty.onData((data) => {
    output += data;
  });
  const exited = new Promise((resolve) => pty.onExit(resolve));
  onTestFinished(async () => {
    pty.kill("SIGKILL");
    await exited;
  });
  const sees = (pattern: RegExp) =>
    until(
      () => pattern.test(stripVTControlCharacters(output)),
      () => `${shell} never showed ${pattern}: ${output}`,
    );
  pty.write(`${setup}; echo re''ady\r`);
  await sees(/^ready/m);
  return {
    async tab(line: string, keys = "\t"): Promise<string> {
      output = "";
      pty.write(line + keys + MARK);
      await until(
        () => plain(output).endsWith(MARK),
        () => `${shell} never went on after ${line}: ${output}`,
      );
      const text = plain(output).slice(0, -MARK.length);
      output = "";
      // Ctrl+U and Enter are keys like others. A shell may drop an interrupt that comes while it completes.
      pty.write("\x15\r");
      await sees(/[\r\n] *> $/);
      return text;
    },
  };
}

/** Removes control sequences, and applies redrawn lines. */
function plain(text: string): string {
  const bare = stripVTControlCharacters(text).replaceAll("\u0007", "").replaceAll("\r\n", "\n");
  return bare.replaceAll(/^.*\r(?=.)/gm, "").replaceAll(new RegExp(`.${BACKSPACE}`, "g"), "");
}

const BACKSPACE = "\b";

/** In no line, and without a meaning in any shell. */
const MARK = "~";
