import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runPager } from "#cli/terminal/pager";
import { type RunSetting, useKay } from "#test/kay";

const kay = useKay();

/** Runs a command on a terminal of 80 × 24 whose pager records its input. */
async function runPaged(command: string, setting: RunSetting = {}, starts = true) {
  const pages: string[][] = [];
  const result = await kay({ signedIn: true })(command, {
    terminal: true,
    ...setting,
    env: { NO_COLOR: "1", PAGER: "less -S", ...setting.env },
    pages: (pager, text) => (starts ? pages.push([pager, text]) > 0 : false),
  });
  return { ...result, shown: pages };
}

test.each(["help environment", "help ask", "ask --help", "tools list", "sessions --help"])(
  "kay %s goes through the pager if it is longer than the terminal",
  async (command) => {
    const { shown, stdout } = await runPaged(command, { rows: 10 });
    const full = await runPaged(command, { env: { PAGER: "" } });
    expect(shown).toEqual([["less -S", full.stdout]]);
    expect(stdout).toBe("");
    expect(full.stdout).not.toBe("");
  },
);

test.each<[string, string, RunSetting]>([
  ["it fits the terminal", "help environment", { rows: 200 }],
  ["PAGER is cat", "help environment", { env: { PAGER: "cat" } }],
  ["PAGER is empty", "help environment", { env: { PAGER: " " } }],
  ["stdout is a pipe", "help environment", { terminal: ["stdin", "stderr"] }],
  ["nobody types", "help environment", { terminal: ["stdout", "stderr"] }],
  ["it is CI", "help environment", { env: { CI: "1" } }],
  ["--no-input is given", "help environment --no-input", {}],
  ["the terminal can only take text", "help environment", { env: { TERM: "dumb" } }],
  ["it is JSON", "help environment --json", {}],
])("there is no pager if %s", async (_, command, setting) => {
  const { shown, stdout, exit } = await runPaged(command, setting);
  expect([shown, exit]).toEqual([[], 0]);
  expect(stdout).toContain("KAY_API_URL");
});

test("a pager that cannot be started loses nothing", async () => {
  const { stdout, stderr, exit } = await runPaged("help environment", {}, false);
  expect(stdout).toContain("KAY_API_URL");
  expect([stderr, exit]).toEqual(["! The pager could not be started (PAGER=less -S).\n", 0]);
});

test("a pager runs without a shell, reads everything unless it leaves early, and shows colors if it is less", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kay-pager-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = { PATH: process.env.PATH };
  const { signal } = new AbortController();
  const text = "a line\n".repeat(100_000);
  const file = join(folder, "it's kept");
  expect(await runPager(`tee "${file}"`, "", { env, signal })).toBe(true);
  const script = `require("fs").writeFileSync(process.argv[1], process.env.LESS + process.env.LV)`;
  expect(await runPager(`"${process.execPath}" -e '${script}' "${file}"`, text, { env, signal })).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("FRX-c");
  expect(await runPager("no-such-pager", text, { env, signal })).toBe(false);
});

test("a pager ends with kay", async () => {
  const ending = new AbortController();
  const pagerEnd = runPager(`"${process.execPath}" -e "setInterval(() => {}, 1000)"`, "", {
    env: {},
    signal: ending.signal,
  });
  ending.abort("SIGTERM");
  expect(await pagerEnd).toBe(true);
});
