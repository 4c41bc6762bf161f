import { globSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../", import.meta.url));
const places = ["src/protocol/*.ts", "src/cli/json-documents/*.ts"];

/** Meanings of the fields of an object's shape, by the shape. */
export type Docstrings = Map<unknown, Map<string, string>>;

/** The docstrings above the fields of every exported shape, found by reading the source and the shape side by side. */
export async function docstrings(): Promise<Docstrings> {
  const found: Docstrings = new Map();
  for (const file of places.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    const source = ts.createSourceFile(file, readFileSync(root + file, "utf8"), ts.ScriptTarget.Latest, true);
    const made: Record<string, unknown> = await import(pathToFileURL(root + file).href);
    const locals = readLocals(source);
    for (const [name, expression] of locals) read(expression, made[name], { found, locals });
  }
  return found;
}

type Reading = { found: Docstrings; locals: Map<string, ts.Expression> };

/** The expression behind each name of a file. */
function readLocals(source: ts.SourceFile): Map<string, ts.Expression> {
  const declarations = source.statements.flatMap((one) =>
    ts.isVariableStatement(one) ? [...one.declarationList.declarations] : [],
  );
  return new Map(
    declarations.flatMap(({ name, initializer }) =>
      initializer && ts.isIdentifier(name) ? [[name.text, initializer] as const] : [],
    ),
  );
}

/** Walks an expression (`z.optional(z.looseObject({ … }))`) together with its schema. */
function read(written: ts.Expression, shape: unknown, reading: Reading): void {
  const { found, locals } = reading;
  const expression = (ts.isIdentifier(written) && locals.get(written.text)) || written;
  const inner = findInner(shape);
  if (!ts.isCallExpression(expression) || inner === undefined) return;
  const object = expression.arguments.find(ts.isObjectLiteralExpression);
  const fields = getShape(inner);
  if (!object || !fields) {
    for (const part of expression.arguments) read(part, inner, reading);
    return;
  }
  for (const property of object.properties) {
    if (!ts.isPropertyAssignment(property) || !ts.isIdentifier(property.name)) continue;
    const text = textAbove(property);
    if (text) found.set(inner, (found.get(inner) ?? new Map()).set(property.name.text, text));
    read(property.initializer, fields[property.name.text], reading);
  }
}

type Shape = { def: { innerType?: unknown; element?: unknown; shape?: Record<string, unknown> } };

/** Returns the inner schema of an optional, nullable or list. */
function findInner(shape: unknown): Shape | undefined {
  if (typeof shape !== "object" || shape === null || !("def" in shape)) return undefined;
  const { def } = shape as Shape;
  const inner = def.innerType ?? def.element;
  return inner === undefined ? (shape as Shape) : findInner(inner);
}

function getShape({ def }: Shape): Record<string, unknown> | undefined {
  return def.shape;
}

function textAbove(property: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(property);
  const comment = doc && ts.isJSDoc(doc) ? ts.getTextOfJSDocComment(doc.comment) : undefined;
  return comment?.replaceAll(/\s+/g, " ").trim() ?? "";
}
