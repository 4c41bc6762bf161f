import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SLASH_COMMANDS } from "#cli/session/slash/table";
import { ERRORS } from "#protocol/errors";
import { commandLines, documents, read, sources } from "#test/documents";
import rules from "../../.dependency-cruiser.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("every relative link of the documents leads to a file, and to a heading of it", () => {
  const links = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, to = "", heading]) => ({ path, to, heading })),
  );
  const local = links
    .filter(({ to }) => !/^https?:/.test(to))
    .map((link) => ({ ...link, file: link.to ? join(dirname(link.path), link.to) : link.path }));
  expect(local.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
  const withHeading = local.filter(({ heading }) => heading);
  expect(withHeading.filter(({ file, heading }) => !listHeadings(read(file).text).includes(heading ?? ""))).toEqual([]);
  expect(withHeading.length).toBeGreaterThan(15);
});

/** The headings of a document as GitHub names them in links. */
function listHeadings(text: string): string[] {
  const written = text.replaceAll(/```[\s\S]*?```/g, "");
  return [...written.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

test("N31 an example that needs a language model says so", () => {
  const lines = documents().flatMap(({ text }) => text.split("\n"));
  const open = lines.filter((line) => /\bkay ask .*"(?:summarize these|compare these|what is wrong)/.test(line));
  expect(open).not.toEqual([]);
  expect(open.filter((line) => !line.includes("needs a language model"))).toEqual([]);
});

test("the tables of rooms equal the enforced ones", () => {
  const rows = [...read("docs/layout.md").text.matchAll(/^\| `([\w/-]+)` *\|[^|]+\|([\w, -]*)\|$/gm)];
  const written = rows.map(([, room = "", others = ""]) => {
    const folder = room.startsWith("src/") ? room : `src/backend/${room}`;
    return `${folder} sees only ${[folder.split("/").at(-1), ...others.trim().split(", ")].filter(Boolean).join(", ")}`;
  });
  const enforced = (rules.forbidden ?? []).flatMap(({ name }) => (name?.includes(" sees only ") ? [name] : []));
  expect(written.sort()).toEqual(enforced.sort());
});

test("every source file that a document names exists", () => {
  const paths = documents().flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|bin|bench|scripts)\/[\w./-]+)`/g)].map(([, file = ""]) => ({ path, file })),
  );
  expect(paths.filter(({ file }) => !existsSync(root + file))).toEqual([]);
  expect(paths.length).toBeGreaterThan(20);
});

test("every function that the layout names exists", () => {
  const code = sources("src/**/*.{ts,tsx}", "scripts/*.ts");
  const names = [...read("docs/layout.md").text.matchAll(/`(\w+)\(\)`/g)].map(([, name = ""]) => name);
  expect(names.filter((name) => !new RegExp(`(function\\*?|const) ${name}\\b`).test(code))).toEqual([]);
  expect(names.length).toBeGreaterThan(30);
});

test("every task in the documents exists in the package", () => {
  const { scripts } = JSON.parse(read("package.json").text) as { scripts: Record<string, string> };
  const named = documents().flatMap((document) =>
    commandLines(document, "npm").map(([verb, name]) => ({ verb, name })),
  );
  const tasks = named.filter(({ verb }) => verb === "run").map(({ name = "" }) => name);
  expect(tasks.filter((name) => !(name in scripts))).toEqual([]);
  expect(tasks).toContain("try");
});

test("the session's page lists every command of a session in its own words", () => {
  const { text } = read("docs/session.md");
  const [, table = ""] = /<!-- commands -->\s*([\s\S]*?)\s*<!-- \/commands -->/.exec(text) ?? [];
  const rows = [...table.matchAll(/^\| `\/(.*?)` *\| (.*?) *\|$/gm)].map(([, ...cells]) => cells);
  const escapeCell = (cell: string) => cell.replaceAll("|", "\\|");
  expect(rows).toEqual(SLASH_COMMANDS.map(({ name, args, does }) => [`${name} ${args}`.trim(), does].map(escapeCell)));
  const mentioned = [...text.matchAll(/`\/([a-z]+)[^`]*`|^> \/([a-z]+)/gm)].map(([, code, line]) => code ?? line);
  const commands = [...SLASH_COMMANDS.map(({ name }) => name), "etc", "linear", "standup"];
  expect(mentioned.filter((name) => !commands.includes(name ?? ""))).toEqual([]);
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

test("the exit codes of docs/scripting.md are those of errors and signals", () => {
  const [, section = ""] = /## Exit codes\n([\s\S]*?)\n## /.exec(read("docs/scripting.md").text) ?? [];
  const codes = [...section.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = ""]) => cell.split(",").map(Number));
  const errors = Object.values(ERRORS).map(({ exit }) => Number(exit));
  expect(codes).toEqual([...new Set([0, ...errors, 130, 143])].sort((a, b) => a - b));
});
