import type { Property, ServiceDescription, ToolDescription } from "./description.ts";
import { PATH_SLOT_PATTERN } from "./description.ts";
import type { DescriptionFault } from "./faults.ts";
import { hasStrayBrace, listSlots, listTexts } from "./template.ts";

type Path = PropertyKey[];

/** What the parts of a tool say against each other. `at` is where the tool stands. */
export function validateTool(
  tool: ToolDescription,
  at: Path,
  { name }: Pick<ServiceDescription, "name">,
): DescriptionFault[] {
  const { access, method, path, body, input, result } = tool;
  const fields = input?.properties ?? {};
  const faults: DescriptionFault[] = [];
  const fault = (place: Path, says: string) => void faults.push({ path: [...at, ...place], says });
  if (!new RegExp(`^${name}\\.[a-z][a-z0-9]*(_[a-z0-9]+)*$`).test(tool.name) || tool.name.length > LONGEST_NAME)
    fault(["name"], `must be ${name}.verb_object, such as ${name}.list_things`);
  if (access === "read" && method !== "GET" && method !== "POST")
    fault(["access"], `cannot be read with ${method}: that changes something`);
  if (access !== "read" && method === "GET") fault(["method"], "cannot be GET for what is no read");
  if (body && method === "GET") fault(["body"], "goes with no GET; use query");
  const wrongPath = pathFault(path);
  if (wrongPath) fault(["path"], wrongPath);
  for (const [header, value] of Object.entries(tool.headers ?? {})) {
    if (isReservedHeader(header)) fault(["headers", header], "is a header that kay sets itself");
    if (!/^[\x20-\x7e]*$/.test(value)) fault(["headers", header], "must have plain characters on one line (ASCII)");
  }
  for (const [place, text] of requestTexts(tool)) {
    if (hasStrayBrace(text) && place[0] !== "body") fault(place, "has a brace that belongs to no {slot}");
    for (const slot of listSlots(text))
      if (!Object.hasOwn(fields, slot)) fault(place, `names the field {${slot}}, which input does not have`);
  }
  checkInput(tool, fault);
  checkResult(result, fault);
  return faults;
}

type Say = (place: Path, says: string) => void;

function pathFault(path: string): string | undefined {
  if (!path.startsWith("/") || path.startsWith("//")) return "must begin with one /";
  if (/[?#\\]/.test(path)) return "must not have ? or # or \\; use query";
  if (!/^[\w\-.~!$&'()*+,;=:@%/{}]+$/.test(path))
    return "must have only characters of a path (ASCII), the others as %20";
  if (/(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)) return "must not have . or .. steps";
  return undefined;
}

/** Every template over the input, with its place. */
function requestTexts(tool: ToolDescription): [Path, string][] {
  const named = (key: "query" | "headers" | "body") =>
    listTexts(tool[key] ?? {}).map(({ text, path }): [Path, string] => [[key, ...path], text]);
  const examples = tool.examples.map((text, index): [Path, string] => [["examples", index], text]);
  const summary: [Path, string][] = tool.summary === undefined ? [] : [[["summary"], tool.summary]];
  return [[["path"], tool.path], ...named("query"), ...named("headers"), ...named("body"), ...summary, ...examples];
}

function checkInput(tool: ToolDescription, fault: Say): void {
  const { properties = {}, required = [] } = tool.input ?? {};
  const sent = new Set(
    [
      tool.path,
      ...[tool.query, tool.headers, tool.body].flatMap((part) => listTexts(part ?? {}).map(({ text }) => text)),
    ].flatMap(listSlots),
  );
  for (const name of required)
    if (!Object.hasOwn(properties, name)) fault(["input", "required"], `names ${name}, which properties does not have`);
  for (const [name, property] of Object.entries(properties)) {
    const place = ["input", "properties", name];
    if (!sent.has(name)) fault(place, "is in no path, query, headers or body");
    if (listSlots(tool.path).includes(name) && !required.includes(name))
      fault(place, "is in the path, so it must be required");
    checkProperty(property, place, fault);
  }
}

function checkProperty(property: Property, place: Path, fault: Say): void {
  const { type, items, maxItems } = property;
  const wrong = (key: string, types: string[]) => {
    if (property[key as keyof Property] !== undefined && !types.includes(type))
      fault([...place, key], `goes with ${types.join(" and ")} only`);
  };
  if (type === "array" && !items) fault(place, "is an array, so it must have items");
  for (const key of ["enum", "format", "minLength", "maxLength"]) wrong(key, ["string"]);
  for (const key of ["minimum", "maximum"]) wrong(key, ["integer", "number"]);
  for (const key of ["items", "maxItems"]) wrong(key, ["array"]);
  if (items?.enum && items.type !== "string") fault([...place, "items", "enum"], "goes with string only");
  for (const [key, value] of Object.entries({ ...property, maxItems }))
    if (
      /^(max|min)(Length|Items)$/.test(key) &&
      value !== undefined &&
      !(Number.isInteger(value) && Number(value) >= 0)
    )
      fault([...place, key], "must be a whole number");
}

function checkResult(result: ToolDescription["result"], fault: Say): void {
  for (const key of ["url", "summary"] as const) {
    const text = result?.[key];
    if (text !== undefined && /[{}]/.test(text.replace(PATH_SLOT_PATTERN, "")))
      fault(["result", key], "has a brace that belongs to no {place}");
  }
  const url = result?.url;
  if (url === undefined || /^\{[^{}]+\}$/.test(url)) return;
  // A place in the host or before it would let an answer choose where the link leads.
  if (!/^https?:\/\/[a-z0-9.-]+(:\d+)?(\/[\x21-\x7e]*)?$/i.test(url))
    fault(["result", "url"], "must be one {place}, or begin with https:// and a host without {places}");
}

/** Providers of models take names of 64 characters, in which the dot becomes two. */
const LONGEST_NAME = 63;

/** Headers that belong to HTTP, to the sign-in, or to kay. */
export function isReservedHeader(name: string): boolean {
  return /^(authorization|cookie|host|origin|referer|content-.*|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*|sec-.*|forwarded|x-forwarded-.*|idempotency-key|kay-.*)$/i.test(
    name,
  );
}
