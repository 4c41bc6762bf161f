import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));

test("a docstring names only parameters that the function has, and links only names that its file knows", () => {
  const files = globSync("{src,scripts,bench}/**/*.{ts,tsx}", { cwd: root });
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => listStaleNames(file, readFileSync(`${root}${file}`, "utf8")))).toEqual([]);
});

test("a stale parameter and a stale link are reported with their file", () => {
  const text =
    "/** Reads it, see {@link gone}. @param old what is read */\nexport function read(now: string) { return now; }";
  expect(listStaleNames("a.ts", text)).toEqual(["a.ts: {@link gone}", "a.ts: @param old of read"]);
});

/** Lists the names in docstrings that mean nothing there. */
function listStaleNames(file: string, text: string): string[] {
  const links = [...text.matchAll(/\{@link ([A-Za-z_]\w*)/g)].map(([, name = ""]) => name);
  const count = (pattern: string) => [...text.matchAll(new RegExp(pattern, "g"))].length;
  const stale = links.filter((name) => count(`\\b${name}\\b`) === count(`\\{@link ${name}\\b`));
  const faults = [...new Set(stale)].map((name) => `${file}: {@link ${name}}`);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node)) {
      const names = node.parameters.flatMap(({ name }) => listNames(name));
      for (const tag of ts.getJSDocTags(node).filter(ts.isJSDocParameterTag)) {
        // A field of a parameter is written as `options.field`, whether the function takes it apart or not.
        const [first = "", field] = tag.name.getText(source).split(".");
        if (!names.includes(first) && !(field && names.includes(field)))
          faults.push(`${file}: @param ${first} of ${node.name?.getText(source) ?? "a function"}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

function listNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => {
    if (!ts.isBindingElement(element)) return [];
    const key = element.propertyName && ts.isIdentifier(element.propertyName) ? [element.propertyName.text] : [];
    return [...key, ...listNames(element.name)];
  });
}
