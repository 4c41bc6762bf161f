import { type Document, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml";
import { Problem } from "#protocol/errors";
import { type ReservedNames, validateDescription } from "./check.ts";
import { MAX_SOURCE_BYTES, ServiceDescription } from "./description.ts";
import { type DescriptionFault, formatPath, toShapeFaults } from "./faults.ts";

/**
 * Parses a description from YAML or JSON. JSON is read as YAML, so that faults have line numbers.
 *
 * @throws Problem INVALID_REQUEST with the first fault and its line as message, and all of them in `details.problems`
 */
export function parseDescription(source: string, reserved: ReservedNames): ServiceDescription {
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    throw new Problem("PAYLOAD_TOO_LARGE", `The description is larger than ${MAX_SOURCE_BYTES / 1024} KiB.`);
  const lines = new LineCounter();
  const document = parseYaml(source, lines);
  const faults: DescriptionFault[] = [];
  const description = validateDocument(document, reserved, faults);
  if (description && faults.length === 0) return description;
  throw invalidDescriptionProblem(
    faults.map((fault) => formatNotice(fault, document, lines)).sort((a, b) => a.line - b.line),
  );
}

type FaultNotice = { path: string; line: number; message: string };

/** Parses YAML and rejects features that hide its meaning: aliases, tags, several documents, duplicate keys. */
function parseYaml(source: string, lines: LineCounter): Document {
  const control = /[^\P{Cc}\t\n\r]|[\u2028\u2029]/u.exec(source);
  if (control) {
    const line = source.slice(0, control.index).split("\n").length;
    throw invalidDescriptionProblem([
      { path: "", line, message: `The description has a control character (line ${line}).` },
    ]);
  }
  const document = parseWithDepthCheck(source, lines);
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const why = broken.message.split("\n")[0]?.replace(/\.$/, "") ?? "";
    throw invalidDescriptionProblem([
      { path: "", line, message: `The description is not valid YAML or JSON: ${why} (line ${line}).` },
    ]);
  }
  const alias = findAlias(document);
  if (alias !== undefined) {
    const { line } = lines.linePos(alias);
    throw invalidDescriptionProblem([
      { path: "", line, message: `Aliases (*) are not allowed; write the value out (line ${line}).` },
    ]);
  }
  return document;
}

/** Parses the document. Extreme nesting overflows the parser's stack and is reported as a fault of the file. */
function parseWithDepthCheck(source: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(source, {
      lineCounter,
      prettyErrors: false,
      uniqueKeys: true,
      merge: false,
      resolveKnownTags: false,
    });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw invalidDescriptionProblem([{ path: "", line: 1, message: "The description is nested too deeply (line 1)." }]);
  }
}

/** Returns the offset of the first alias. Aliases let a small file expand to a huge value. */
function findAlias(document: Document): number | undefined {
  let limitIndex: number | undefined;
  visit(document, {
    Alias: (_, node) => {
      limitIndex = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return limitIndex;
}

/** Validates the description and adds its faults to `faults`. */
function validateDocument(
  document: Document,
  reserved: ReservedNames,
  faults: DescriptionFault[],
): ServiceDescription | undefined {
  if (!isMap(document.contents)) {
    faults.push({ path: [], message: "must be a map with name, title, base_url, auth and tools" });
    return undefined;
  }
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  faults.push(...findInheritedKeys(value, []));
  if (faults.length > 0) return undefined;
  const result = ServiceDescription.safeParse(value);
  faults.push(
    ...(result.success
      ? validateDescription(result.data, reserved)
      : toShapeFaults(result.error.issues, ServiceDescription, value)),
  );
  return result.data;
}

/** Rejects keys that every JavaScript object inherits. */
function findInheritedKeys(value: unknown, path: PropertyKey[]): DescriptionFault[] {
  if (typeof value !== "object" || value === null) return [];
  if (path.length > MAX_DEPTH) return [{ path: path.slice(0, 4), message: "is nested too deeply" }];
  return Object.keys(value).flatMap((key) => {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    if (INHERITED_KEYS.has(key)) return [{ path: inner, message: "is not allowed as a key", atKey: true as const }];
    return findInheritedKeys((value as Record<string, unknown>)[key], inner);
  });
}

const INHERITED_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const MAX_DEPTH = 24;

function formatNotice(fault: DescriptionFault, document: Document, lines: LineCounter): FaultNotice {
  const { path, message, atKey, hint } = fault;
  const line = getLine(document, lines, path, atKey);
  const name = formatPath(path);
  return { path: name, line, message: `${name} ${message} (line ${line}).${hint ? ` ${hint}` : ""}` };
}

function getLine(document: Document, lines: LineCounter, path: PropertyKey[], atKey?: true): number {
  let node: unknown = document.contents;
  let start = (document.contents as Node | null)?.range?.[0] ?? 0;
  for (const [index, step] of path.entries()) {
    if (!isCollection(node)) break;
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (!pair) break;
      node = pair.value;
      const key = (pair.key as Node).range?.[0];
      const value = (node as Node | null)?.range?.[0];
      start = (last && !atKey && isScalar(node) ? value : key) ?? start;
    } else {
      node = node.items[Number(step)];
      if (node === undefined) break;
      start = (node as Node | null)?.range?.[0] ?? start;
    }
  }
  return lines.linePos(start).line;
}

function invalidDescriptionProblem(problems: FaultNotice[]): Problem {
  const [first] = problems;
  return new Problem("INVALID_REQUEST", first?.message ?? "The description is invalid.", {
    hint: "",
    details: { field: first?.path || "source", problems },
  });
}
