import type { Property, ServiceDescription, ToolDescription } from "./description.ts";
import { PATH_SLOT_PATTERN } from "./description.ts";
import type { DescriptionFault } from "./faults.ts";
import { hasStrayBrace, listSlots, listTexts } from "./template.ts";

type Path = PropertyKey[];

/** Checks the parts of a tool against each other. `toolPath` is its path in the description. */
export function validateTool(
  tool: ToolDescription,
  toolPath: Path,
  { name }: Pick<ServiceDescription, "name">,
): DescriptionFault[] {
  const { access, method, path, body, input, result } = tool;
  const fields = input?.properties ?? {};
  const faults: DescriptionFault[] = [];
  const addFault = (place: Path, message: string) => void faults.push({ path: [...toolPath, ...place], message });
  if (!new RegExp(`^${name}\\.[a-z][a-z0-9]*(_[a-z0-9]+)*$`).test(tool.name) || tool.name.length > MAX_NAME_LENGTH)
    addFault(["name"], `must be ${name}.verb_object, such as ${name}.list_things`);
  if (access === "read" && method !== "GET" && method !== "POST")
    addFault(["access"], `cannot be read with ${method}, which changes data`);
  if (access !== "read" && method === "GET") addFault(["method"], "cannot be GET unless access is read");
  if (body && method === "GET") addFault(["body"], "cannot be used with GET; use query");
  const wrongPath = findPathFault(path);
  if (wrongPath) addFault(["path"], wrongPath);
  for (const [header, value] of Object.entries(tool.headers ?? {})) {
    if (isReservedHeader(header)) addFault(["headers", header], "is a header that kay sets itself");
    if (!/^[\x20-\x7e]*$/.test(value)) addFault(["headers", header], "must be one line of printable ASCII characters");
  }
  for (const [place, text] of listTemplates(tool)) {
    if (hasStrayBrace(text) && place[0] !== "body") addFault(place, "has a brace outside a {slot}");
    for (const slot of listSlots(text))
      if (!Object.hasOwn(fields, slot)) addFault(place, `uses {${slot}}, which is not a field of input`);
  }
  checkInput(tool, addFault);
  checkResult(result, addFault);
  return faults;
}

type ReportFault = (place: Path, message: string) => void;

function findPathFault(path: string): string | undefined {
  if (!path.startsWith("/") || path.startsWith("//")) return "must begin with one /";
  if (/[?#\\]/.test(path)) return "must not contain ?, # or \\; use query";
  if (!/^[\w\-.~!$&'()*+,;=:@%/{}]+$/.test(path))
    return "must contain only path characters (ASCII); encode others as %20";
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) return "must not contain . or .. segments";
  return undefined;
}

/** Lists every template that uses the input, with its path. */
function listTemplates(tool: ToolDescription): [Path, string][] {
  const listPartTemplates = (key: "query" | "headers" | "body") =>
    listTexts(tool[key] ?? {}).map(({ text, path }): [Path, string] => [[key, ...path], text]);
  const examples = tool.examples.map((text, index): [Path, string] => [["examples", index], text]);
  const summary: [Path, string][] = tool.summary === undefined ? [] : [[["summary"], tool.summary]];
  return [
    [["path"], tool.path],
    ...listPartTemplates("query"),
    ...listPartTemplates("headers"),
    ...listPartTemplates("body"),
    ...summary,
    ...examples,
  ];
}

function checkInput(tool: ToolDescription, fault: ReportFault): void {
  const { properties = {}, required = [] } = tool.input ?? {};
  const usedFields = new Set(
    [
      tool.path,
      ...[tool.query, tool.headers, tool.body].flatMap((part) => listTexts(part ?? {}).map(({ text }) => text)),
    ].flatMap(listSlots),
  );
  for (const name of required)
    if (!Object.hasOwn(properties, name)) fault(["input", "required"], `names ${name}, which is not in properties`);
  for (const [name, property] of Object.entries(properties)) {
    const place = ["input", "properties", name];
    if (!usedFields.has(name)) fault(place, "is not used in path, query, headers or body");
    if (listSlots(tool.path).includes(name) && !required.includes(name))
      fault(place, "is in the path, so it must be required");
    checkProperty(property, place, fault);
  }
}

function checkProperty(property: Property, place: Path, fault: ReportFault): void {
  const { type, items, maxItems } = property;
  const checkTypes = (key: string, types: string[]) => {
    if (property[key as keyof Property] !== undefined && !types.includes(type))
      fault([...place, key], `can be used only with ${types.join(" and ")}`);
  };
  if (type === "array" && !items) fault(place, "is an array, so it must have items");
  for (const key of ["enum", "format", "minLength", "maxLength"]) checkTypes(key, ["string"]);
  for (const key of ["minimum", "maximum"]) checkTypes(key, ["integer", "number"]);
  for (const key of ["items", "maxItems"]) checkTypes(key, ["array"]);
  if (items?.enum && items.type !== "string") fault([...place, "items", "enum"], "can be used only with string");
  for (const [key, value] of Object.entries({ ...property, maxItems }))
    if (
      /^(max|min)(Length|Items)$/.test(key) &&
      value !== undefined &&
      !(Number.isInteger(value) && Number(value) >= 0)
    )
      fault([...place, key], "must be a whole number");
}

function checkResult(result: ToolDescription["result"], fault: ReportFault): void {
  for (const key of ["url", "summary"] as const) {
    const text = result?.[key];
    if (text !== undefined && /[{}]/.test(text.replace(PATH_SLOT_PATTERN, "")))
      fault(["result", key], "has a brace outside a {place}");
  }
  const url = result?.url;
  if (url === undefined || /^\{[^{}]+\}$/.test(url)) return;
  // A placeholder in or before the host would let a response choose where the link leads.
  if (!/^https?:\/\/[a-z0-9.-]+(:\d+)?(\/[\x21-\x7e]*)?$/i.test(url))
    fault(["result", "url"], "must be one {place}, or begin with https:// and a host without {places}");
}

/** Model providers allow tool names of 64 characters, in which the dot becomes two. */
const MAX_NAME_LENGTH = 63;

/** Returns whether a header is reserved for HTTP, the sign-in or kay. */
export function isReservedHeader(name: string): boolean {
  return /^(authorization|cookie|host|origin|referer|content-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*|sec-.*|forwarded|x-forwarded-.*|idempotency-key|kay-.*)$/i.test(
    name,
  );
}
