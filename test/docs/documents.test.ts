import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isSettingKey } from "#client/settings/table";
import { ERRORS } from "#protocol/errors";
import { commandLines, documents, read, sources } from "#test/documents";
import { type Machine, useKay } from "#test/kay";
import rules from "../../.dependency-cruiser.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const kay = useKay();

test("every relative link of the documents leads to a file", () => {
  const links = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = ""]) => ({ path, to })),
  );
  const local = links.filter(({ to }) => !/^https?:/.test(to));
  expect(local.filter(({ path, to }) => !existsSync(join(root, dirname(path), to)))).toEqual([]);
  expect(local.length).toBeGreaterThan(15);
});

test("the tables of rooms are those that are enforced", () => {
  const rows = [...read("docs/layout.md").text.matchAll(/^\| `([\w/-]+)` *\|[^|]+\|([\w, -]*)\|$/gm)];
  const written = rows.map(([, room = "", others = ""]) => {
    const folder = room.startsWith("src/") ? room : `src/backend/${room}`;
    return `${folder} sees only ${[folder.split("/").at(-1), ...others.trim().split(", ")].filter(Boolean).join(", ")}`;
  });
  const enforced = (rules.forbidden ?? []).flatMap(({ name }) => (name?.includes(" sees only ") ? [name] : []));
  expect(written.sort()).toEqual(enforced.sort());
});

test("every file of the source that a document names is there", () => {
  const named = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|bin|bench|scripts)\/[\w./-]+)`/g)].map(([, file = ""]) => ({ path, file })),
  );
  expect(named.filter(({ file }) => !existsSync(root + file))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

test("every function that the layout names is there", () => {
  const code = sources("src/**/*.{ts,tsx}", "scripts/*.ts");
  const named = [...read("docs/layout.md").text.matchAll(/`(\w+)\(\)`/g)].map(([, name = ""]) => name);
  expect(named.filter((name) => !new RegExp(`(function\\*?|const) ${name}\\b`).test(code))).toEqual([]);
  expect(named.length).toBeGreaterThan(30);
});

test("every kay command of the documents is one that kay has, with options that it has", async () => {
  const ann = kay();
  const program = await helpOf(ann, []);
  const lines = documents().flatMap((document) =>
    commandLines(document, "kay").map((line) => ({ path: document.path, line })),
  );
  const wrong = [];
  for (const { path, line } of lines) {
    const fault = await faultOf(ann, program, line);
    if (fault) wrong.push(`${path}: kay ${line.join(" ")}: ${fault}`);
  }
  expect(wrong).toEqual([]);
  expect(lines.length).toBeGreaterThan(40);
});

test("every task of the documents is one that the package has", () => {
  const { scripts } = JSON.parse(read("package.json").text) as { scripts: Record<string, string> };
  const named = documents().flatMap((document) =>
    commandLines(document, "npm").map(([verb, name]) => ({ verb, name })),
  );
  const tasks = named.filter(({ verb }) => verb === "run").map(({ name = "" }) => name);
  expect(tasks.filter((name) => !(name in scripts))).toEqual([]);
  expect(tasks).toContain("try");
});

test("the protocol's table of errors is the source's", () => {
  const [, table = ""] = /<!-- errors -->\s*([\s\S]*?)\s*<!-- \/errors -->/.exec(read("docs/protocol.md").text) ?? [];
  const [, , ...rows] = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  expect(rows).toEqual(
    Object.entries(ERRORS).map(([code, { status, exit, hint }]) => [
      "",
      `\`${code}\``,
      status === 0 ? "–" : String(status),
      String(exit),
      hint,
      "",
    ]),
  );
});

test("the exit codes of docs/scripting.md are those that errors and signals have", () => {
  const [, section = ""] = /## Exit codes\n([\s\S]*?)\n## /.exec(read("docs/scripting.md").text) ?? [];
  const codes = [...section.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = ""]) => cell.split(",").map(Number));
  const errors = Object.values(ERRORS).map(({ exit }) => Number(exit));
  expect(codes).toEqual([...new Set([0, ...errors, 130, 143])].sort((a, b) => a - b));
});

/** Help of a command, by its words. */
async function helpOf(ann: Machine, command: string[]): Promise<string> {
  const { exit, stdout } = await ann([...command, "--help"]);
  return exit === 0 && stdout.startsWith(`Usage: ${["kay", ...command].join(" ")}`) ? stdout : "";
}

async function faultOf(ann: Machine, program: string, line: string[]): Promise<string | undefined> {
  const words = withoutGlobalValues(line);
  const named = words.filter((word) => !word.startsWith("-"));
  const options = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.split("=")[0] ?? "");
  const command = GROUPS.includes(named[0] ?? "") ? named.slice(0, 2) : named.slice(0, 1);
  if (command[0] === "help") return (await ann(["help", ...command.slice(1)])).exit === 0 ? undefined : "no such topic";
  const help = await helpOf(ann, command);
  if (!help) return "no such command";
  const key = command[0] === "config" ? named[2] : undefined;
  if (key && !isSettingKey(key)) return `no such setting: ${key}`;
  const unknown = options.find((option) => !new RegExp(`(^|[\\s,])${option}(?![\\w-])`, "m").test(help + program));
  return unknown && `no such option: ${unknown}`;
}

/** Commands whose first word is followed by another. */
const GROUPS = ["approvals", "config", "help", "policy", "services", "sessions", "tools", "model"];

/** The two global options that take a value, without them. */
function withoutGlobalValues(line: string[]): string[] {
  return line.filter(
    (word, index) =>
      !["--profile", "--color"].includes(word) && !["--profile", "--color"].includes(line[index - 1] ?? ""),
  );
}
