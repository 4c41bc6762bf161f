import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fillClipboard, findClipboardProgram } from "#cli/terminal/clipboard";
import { findEditor } from "#cli/terminal/editor";

const findAmong = (programs: string[]) => (program: string) => (programs.includes(program) ? `/bin/${program}` : null);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kay-user-programs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.each([
  ["linux", ["vi", "nano", "editor"], "editor"],
  ["linux", ["vi", "nano"], "nano"],
  ["darwin", ["vi"], "vi"],
  ["win32", ["vi", "notepad.exe"], "notepad.exe"],
  ["linux", [], undefined],
])("N24 without EDITOR, on %s with %j the editor is %s", (platform, programs, editor) => {
  expect(findEditor(platform, findAmong(programs))).toBe(editor);
});

const ALL = ["pbcopy", "clip.exe", "wl-copy", "xclip", "xsel"];

test.each([
  ["darwin", {}, ALL, "pbcopy"],
  ["win32", {}, ALL, "clip.exe"],
  ["linux", { WSL_DISTRO_NAME: "Debian", DISPLAY: ":0" }, ALL, "clip.exe"],
  ["linux", { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }, ALL, "wl-copy"],
  ["linux", { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }, ["xclip"], "xclip"],
  ["linux", { DISPLAY: ":0" }, ["xsel"], "xsel"],
  ["linux", {}, ALL, undefined],
  ["darwin", { SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" }, ALL, undefined],
  ["darwin", {}, [], undefined],
])("M1 the clipboard of %s with %j and %j is filled by %s", (platform, env, programs, command) => {
  expect(findClipboardProgram({ platform, env, find: findAmong(programs) })?.command).toBe(command);
});

test("M1 a clipboard program gets the text on stdin, and its failure is reported", async () => {
  const copied = join(makeFolder(), "copied");
  const writeCopied = { command: "/bin/sh", args: ["-c", 'cat > "$0"', copied] };
  expect(await fillClipboard(writeCopied, "https://example.com/ü")).toBe(true);
  expect(readFileSync(copied, "utf8")).toBe("https://example.com/ü");
  expect(await fillClipboard({ command: "/bin/false", args: [] }, "x".repeat(1_000_000))).toBe(false);
  expect(await fillClipboard({ command: "/no/such/program", args: [] }, "x")).toBe(false);
});

test("W3 on Windows an editor that is a .cmd script starts through the command interpreter", () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "code.cmd"), "@echo off\r\n");
  const log = join(folder, "interpreter.log");
  writeFileSync(join(folder, "interpreter"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\n`, { mode: 0o755 });
  const preload = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "platform", { value: "win32" });')}`;
  const work = `
    const { editInEditor } = await import("#cli/terminal/editor");
    console.log(await editInEditor("code --wait", "a & b"));`;
  const env = { PATH: folder, PATHEXT: ".EXE;.CMD", comspec: join(folder, "interpreter"), TEMP: folder };
  const args = ["--import", preload, "--input-type=module-typescript", "-e", work];
  const output = execFileSync(process.execPath, args, {
    cwd: join(import.meta.dirname, "../.."),
    env,
    encoding: "utf8",
  });
  expect(output).toBe("a & b\n");
  expect(readFileSync(log, "utf8")).toMatch(/^\/d\n\/s\n\/c\n"code \^"--wait\^" .*message\.md.*"\n$/);
});
