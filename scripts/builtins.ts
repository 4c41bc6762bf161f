import { builtinModules } from "node:module";
import type { Options } from "tsup";

type EsbuildPlugin = NonNullable<Options["esbuildPlugins"]>[number];

/**
 * Marks a built-in module's name in an import that esbuild leaves, so that text inside a string is not mistaken for one.
 */
const mark = "kay-builtin:";
const statement = new RegExp(`import\\s*([\\w$*{][^"';()]*?from\\s*)?["']${mark}([\\w/]+)["'];?`, "g");

/** Gives CommonJS packages inside an ES chunk the `require` that they expect for Node's own modules; the bundle contains all others. */
export const requireBuiltin = `const require=i=>{const m=process.getBuiltinModule(i);if(m)return m;throw Object.assign(new Error("Cannot find module '"+i+"'"),{code:"MODULE_NOT_FOUND"})};`;

/** Marks the ES imports of Node's own modules for {@link inlineBuiltins}. */
export const markBuiltins: EsbuildPlugin = {
  name: "mark-builtins",
  setup(build) {
    const bare = builtinModules.filter((name) => !name.startsWith("node:"));
    build.onResolve({ filter: new RegExp(`^(node:.+|${bare.join("|")})$`) }, ({ path, kind }) => ({
      path: kind === "import-statement" ? mark + path.replace(/^node:/, "") : path,
      external: true,
    }));
  },
};

/**
 * Modules that Node loads before a program starts; all others are loaded on first use (crypto 8 ms, child_process 6,
 * fs/promises 6).
 */
const early = new Set([
  "async_hooks",
  "buffer",
  "events",
  "fs",
  "path",
  "process",
  "querystring",
  "timers",
  "url",
  "util",
]);

/**
 * Rewrites a built chunk's imports of Node's own modules to `process.getBuiltinModule`. An ES import of one makes Node list all it
 * exports, which for `node:http` loads the built-in undici (25 ms) and for an ordinary command adds 10 ms to the start.
 */
export function inlineBuiltins(code: string): string {
  const declarations: string[] = [];
  const rest = code.replace(statement, (_whole, clause: string | undefined, name: string) => {
    if (clause) declarations.push(...declare(clause.replace(/\s*from\s*$/, ""), name));
    return "";
  });
  if (rest.includes(`"${mark}`))
    throw new Error("An import of Node's own modules in a form that the build does not know.");
  // Imports are evaluated first wherever they are, so their replacements go to the top.
  return declarations.join("") + rest;
}

function declare(clause: string, name: string): string[] {
  const parts = /^([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{(.*)\})?$/s.exec(clause);
  if (!parts) throw new Error(`An import of node:${name} in a form that the build does not know: ${clause}`);
  const [, whole, namespace, members] = parts;
  const load = `process.getBuiltinModule("node:${name}")`;
  const object = early.has(name) ? load : `new Proxy({},{get:(_,k)=>${load}[k]})`;
  return [
    ...[whole, namespace].filter(Boolean).map((local) => `const ${local}=${object};`),
    ...(members ?? "")
      .split(",")
      .flatMap((member) => (member.trim() ? [declareMember(member.trim(), name, load)] : [])),
  ];
}

function declareMember(member: string, name: string, load: string): string {
  const [imported = "", local = imported] = member.split(/\s+as\s+/);
  const value: unknown = Reflect.get(process.getBuiltinModule(name) ?? {}, imported);
  const late = !early.has(name) && typeof value === "function" && /^[a-z]/.test(imported);
  if (!late) return `const ${local}=${load}.${imported};`;
  if (isPlain(value)) return `const ${local}=(...a)=>${load}.${imported}(...a);`;
  const [call, read] = [`apply:(_,t,a)=>${load}.${imported}(...a)`, `get:(_,k)=>${load}.${imported}[k]`];
  return `const ${local}=new Proxy(()=>{},{${call},${read}});`;
}

/** Whether a function has no properties, such as a promisified variant, so that an arrow can replace it. */
function isPlain(value: object): boolean {
  return Object.keys(value).length === 0 && Object.getOwnPropertySymbols(value).length === 0;
}
