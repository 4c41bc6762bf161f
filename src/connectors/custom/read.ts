import { type Document, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument, visit } from "yaml";
import { Problem } from "#protocol/errors";
import { type ReservedNames, validateDescription } from "./check.ts";
import { MAX_SOURCE_BYTES, ServiceDescription } from "./description.ts";
import { type DescriptionFault, formatPath, toShapeFaults } from "./faults.ts";

/**
 * Read a description from YAML or JSON (which is read as the YAML that it also is, so that both have lines).
 *
 * @throws Problem INVALID_REQUEST: its sentence is the first fault with its line, `problems` in its details has all of them
 */
export function parseDescription(source: string, taken: ReservedNames): ServiceDescription {
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    throw new Problem("PAYLOAD_TOO_LARGE", `The description is larger than ${MAX_SOURCE_BYTES / 1024} KiB.`);
  const lines = new LineCounter();
  const document = parse(source, lines);
  const faults: DescriptionFault[] = [];
  const description = judge(document, taken, faults);
  if (description && faults.length === 0) return description;
  throw invalid(faults.map((fault) => formatNotice(fault, document, lines)).sort((a, b) => a.line - b.line));
}

type Told = { path: string; line: number; message: string };

/** YAML without what could make it something else than it looks like: aliases, tags, several documents, keys twice. */
function parse(source: string, lines: LineCounter): Document {
  const control = /[^\P{Cc}\t\n\r]|[\u2028\u2029]/u.exec(source);
  if (control) {
    const line = source.slice(0, control.index).split("\n").length;
    throw invalid([{ path: "", line, message: `The description has a control character (line ${line}).` }]);
  }
  const document = parsed(source, lines);
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const why = broken.message.split("\n")[0]?.replace(/\.$/, "") ?? "";
    throw invalid([{ path: "", line, message: `The description is no YAML or JSON: ${why} (line ${line}).` }]);
  }
  const alias = firstAlias(document);
  if (alias !== undefined) {
    const { line } = lines.linePos(alias);
    throw invalid([{ path: "", line, message: `An alias (*) is not taken; write it out (line ${line}).` }]);
  }
  return document;
}

/** A file that is nested without end overflows the parser's stack, which is a fault of the file. */
function parsed(source: string, lineCounter: LineCounter): Document {
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
    throw invalid([{ path: "", line: 1, message: "The description is nested too deeply (line 1)." }]);
  }
}

/** Aliases let a small file be a huge value. */
function firstAlias(document: Document): number | undefined {
  let at: number | undefined;
  visit(document, {
    Alias: (_, node) => {
      at = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at;
}

/** The description as its schema reads it; what is wrong with it is added to `faults`. */
function judge(document: Document, taken: ReservedNames, faults: DescriptionFault[]): ServiceDescription | undefined {
  if (!isMap(document.contents)) {
    faults.push({ path: [], says: "must be a map with name, title, base_url, auth and tools" });
    return undefined;
  }
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  faults.push(...inheritedKeys(value, []));
  if (faults.length > 0) return undefined;
  const result = ServiceDescription.safeParse(value);
  faults.push(
    ...(result.success
      ? validateDescription(result.data, taken)
      : toShapeFaults(result.error.issues, ServiceDescription, value)),
  );
  return result.data;
}

/** Keys that mean something to every JavaScript object are nobody's field. */
function inheritedKeys(value: unknown, path: PropertyKey[]): DescriptionFault[] {
  if (typeof value !== "object" || value === null) return [];
  if (path.length > DEEPEST) return [{ path: path.slice(0, 4), says: "is nested too deeply" }];
  return Object.keys(value).flatMap((key) => {
    const inner = [...path, Array.isArray(value) ? Number(key) : key];
    if (INHERITED.has(key)) return [{ path: inner, says: "is a name that no key may have", atKey: true as const }];
    return inheritedKeys((value as Record<string, unknown>)[key], inner);
  });
}

const INHERITED = new Set(["__proto__", "constructor", "prototype"]);
const DEEPEST = 24;

function formatNotice({ path, says, atKey }: DescriptionFault, document: Document, lines: LineCounter): Told {
  const line = getLine(document, lines, path, atKey);
  const end = says.endsWith("?") ? `${says.slice(0, -1)}` : says;
  const mark = says.endsWith("?") ? "?" : ".";
  const name = formatPath(path);
  return { path: name, line, message: `${name} ${end} (line ${line})${mark}` };
}

/** The line of a key or value, or of the nearest thing around it that is there. */
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

function invalid(problems: Told[]): Problem {
  const [first] = problems;
  return new Problem("INVALID_REQUEST", first?.message ?? "The description is not accepted.", {
    hint: "",
    details: { field: first?.path || "source", problems },
  });
}
