import { expect, test } from "vitest";
import { inlineBuiltins, requireBuiltin } from "../../scripts/builtins.ts";

const load = (name: string) => `process.getBuiltinModule("node:${name}")`;

for (const [what, before, after] of [
  [
    "named imports",
    `import{readFile as a,writeFile}from"kay-builtin:fs";b()`,
    `const {readFile:a,writeFile}=${load("fs")};b()`,
  ],
  ["a default import", `import p from"kay-builtin:path";b()`, `const p=${load("path")};b()`],
  ["a namespace", `import*as o from"kay-builtin:os";b()`, `const o=${load("os")};b()`],
  [
    "a default with named imports",
    `import f,{readFile as a}from"kay-builtin:fs/promises";b()`,
    `const f=${load("fs/promises")};const {readFile:a}=${load("fs/promises")};b()`,
  ],
  ["an import for its effects", `import"kay-builtin:net";b()`, "b()"],
  ["an import below other code", `a();import x from"kay-builtin:os";b()`, `const x=${load("os")};a();b()`],
  [
    "a default import of child_process, loaded at its first use",
    `import c from"kay-builtin:child_process";b()`,
    `const c=new Proxy({},{get:(_,k)=>${load("child_process")}[k]});b()`,
  ],
  [
    "spelled out, as without minifying",
    `import { a as b, c } from "kay-builtin:fs";\nb()`,
    `const { a:b, c }=${load("fs")};\nb()`,
  ],
] as const) {
  test(`${what}: Node's own modules are fetched instead of imported`, () => {
    expect(inlineBuiltins(before)).toBe(after);
  });
}

for (const code of [
  `import{a}from"./chunks/fs.js";b()`,
  `import"./chunk-1.js";b()`,
  `import{a}from"@napi-rs/keyring";b()`,
  `const a=await import("node:http");b()`,
  "const a=`\nimport { text } from 'node:stream/consumers';`;b()",
]) {
  test(`${code} stays as it is`, () => {
    expect(inlineBuiltins(code)).toBe(code);
  });
}

test("a form of import that the build does not know stops it", () => {
  expect(() => inlineBuiltins(`import type,x,y from"kay-builtin:fs";`)).toThrow(
    "in a form that the build does not know",
  );
});

test("what the build marked and cannot rewrite stops it", () => {
  expect(() => inlineBuiltins(`export*from"kay-builtin:fs";`)).toThrow("in a form that the build does not know");
});

test("require in a chunk gives Node's own modules and fails as Node does for others", () => {
  const require = new Function(`${requireBuiltin} return require`)() as (name: string) => unknown;
  expect(require("node:fs")).toBe(process.getBuiltinModule("node:fs"));
  expect(() => require("pg-native")).toThrow(expect.objectContaining({ code: "MODULE_NOT_FOUND" }));
});
