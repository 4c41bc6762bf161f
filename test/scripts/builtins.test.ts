import { expect, test } from "vitest";
import { inlineBuiltins, requireBuiltin } from "../../scripts/builtins.ts";

const load = (name: string) => `process.getBuiltinModule("node:${name}")`;

for (const [title, source, after] of [
  ["a named import", `import{readFile as a}from"kay-builtin:fs";b()`, `const a=${load("fs")}.readFile;b()`],
  [
    "several named imports",
    `import{readFile as a,writeFile}from"kay-builtin:fs";b()`,
    `const a=${load("fs")}.readFile;const writeFile=${load("fs")}.writeFile;b()`,
  ],
  ["a default import", `import p from"kay-builtin:path";b()`, `const p=${load("path")};b()`],
  ["a namespace", `import*as u from"kay-builtin:util";b()`, `const u=${load("util")};b()`],
  [
    "a default with a named import",
    `import f,{readFile as a}from"kay-builtin:fs";b()`,
    `const f=${load("fs")};const a=${load("fs")}.readFile;b()`,
  ],
  ["an import for its effects", `import"kay-builtin:net";b()`, "b()"],
  ["an import below other code", `a();import x from"kay-builtin:url";b()`, `const x=${load("url")};a();b()`],
  ["spelled out", `import { sep as b } from "kay-builtin:path";\nb()`, `const b=${load("path")}.sep;\nb()`],
  [
    "a function of a module that Node has not loaded yet",
    `import{randomBytes as a}from"kay-builtin:crypto";b()`,
    `const a=(...a)=>${load("crypto")}.randomBytes(...a);b()`,
  ],
  ["a class of such a module", `import{Agent as a}from"kay-builtin:http";b()`, `const a=${load("http")}.Agent;b()`],
  [
    "a function with a promisified variant of such a module",
    `import{execFile as a}from"kay-builtin:child_process";b()`,
    `const a=new Proxy(()=>{},{apply:(_,t,a)=>${load("child_process")}.execFile(...a),get:(_,k)=>${load("child_process")}.execFile[k]});b()`,
  ],
  [
    "such a module as a whole",
    `import c from"kay-builtin:child_process";b()`,
    `const c=new Proxy({},{get:(_,k)=>${load("child_process")}[k]});b()`,
  ],
] as const) {
  test(`${title}: loaded as a built-in instead of imported`, () => {
    expect(inlineBuiltins(source)).toBe(after);
  });
}

for (const code of [
  `import{a}from"./chunks/fs.js";b()`,
  `import"./chunk-1.js";b()`,
  `import{a}from"@napi-rs/keyring";b()`,
  `const a=await import("node:http");b()`,
  "const a=`\nimport { text } from 'node:stream/consumers';`;b()",
]) {
  test(`${code} is unchanged`, () => {
    expect(inlineBuiltins(code)).toBe(code);
  });
}

test("an unknown form of import stops the build", () => {
  expect(() => inlineBuiltins(`import type,x,y from"kay-builtin:fs";`)).toThrow(
    "in a form that the build does not know",
  );
});

test("a marked import that the build cannot rewrite stops it", () => {
  expect(() => inlineBuiltins(`export*from"kay-builtin:fs";`)).toThrow("in a form that the build does not know");
});

test("require in a chunk returns Node's own modules and fails like Node's for others", () => {
  const required = new Function(`${requireBuiltin} return require`)() as (name: string) => unknown;
  expect(required("node:fs")).toBe(process.getBuiltinModule("node:fs"));
  expect(() => required("no-such-module")).toThrow(expect.objectContaining({ code: "MODULE_NOT_FOUND" }));
});
