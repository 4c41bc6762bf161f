import { isRecord, type JsonRecord } from "#protocol/json";

/** The text of a parameter for models: its path (`filter.city`), and its type and texts in one line. */
export type ParameterText = { name: string; text: string };

/** Lists all texts of a cleaned schema that a model gets, so that the user can read them too. */
export function listParameterTexts(schema: JsonRecord): ParameterText[] {
  return [...listTexts(schema, "", false)];
}

function* listTexts(schema: unknown, name: string, required: boolean): Generator<ParameterText> {
  if (!isRecord(schema)) return;
  const text = formatParameter(schema, { isRoot: name === "", required });
  if (text !== "") yield { name, text };
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const joinPath = (key: string) => (name === "" ? key : `${name}.${key}`);
  for (const [key, value] of getEntries(schema.properties)) yield* listTexts(value, joinPath(key), needed.has(key));
  for (const keyword of ["$defs", "definitions"])
    for (const [key, child] of getEntries(schema[keyword]))
      yield* listTexts(child, joinPath(`${keyword}.${key}`), false);
  yield* listTexts(schema.items, `${name}[]`, false);
  yield* listTexts(schema.additionalProperties, joinPath("*"), false);
  for (const keyword of ["anyOf", "oneOf", "allOf"])
    for (const item of Array.isArray(schema[keyword]) ? schema[keyword] : []) yield* listTexts(item, name, false);
}

function getEntries(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}

function formatParameter(schema: JsonRecord, { isRoot, required }: { isRoot: boolean; required: boolean }): string {
  const { type, title, description, $ref } = schema;
  const kind = [
    [type]
      .flat()
      .filter((item) => item !== undefined)
      .join(" or "),
    required ? "required" : "",
  ];
  const head = kind.filter((part) => part !== "" && !isRoot).join(", ");
  const texts = [
    typeof title === "string" ? title : "",
    typeof description === "string" ? description : "",
    ...("enum" in schema ? [`One of: ${formatValues(schema.enum)}.`] : []),
    ...("const" in schema ? [`Always: ${formatValues([schema.const])}.`] : []),
    ...("default" in schema ? [`Default: ${formatValues([schema.default])}.`] : []),
    typeof $ref === "string" ? `See ${$ref}.` : "",
  ];
  return [head === "" ? "" : `(${head})`, ...texts].filter(Boolean).join(" ");
}

function formatValues(values: unknown): string {
  return (Array.isArray(values) ? values : []).map((item) => JSON.stringify(item)).join(", ");
}
