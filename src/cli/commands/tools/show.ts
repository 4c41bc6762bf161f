import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { ToolView } from "#protocol/tools";
import type { Kay } from "../../kay.ts";
import { findToolBackend, isUnknownTool, loadTools } from "./backend.ts";
import { type Field, listFields } from "./fields.ts";

/** Runs `kay tools list`: prints one row per tool. */
export async function listTools(kay: Kay, service: string | undefined): Promise<void> {
  const tools = await loadTools(kay, service);
  if (kay.flags.json) return kay.out.writeJson({ tools });
  await kay.out.writeTable(TOOL_COLUMNS, tools.map(toToolRow));
}

export const TOOL_COLUMNS = ["TOOL", "ACCESS", "SERVICE", "DOES"];

/** Formats a tool as a row of {@link TOOL_COLUMNS}. */
export function toToolRow(tool: ToolView): string[] {
  return [toLine(tool.name), tool.access, getConnected(tool), toLine(tool.description)];
}

/** Runs `kay tools show <tool>`: prints its fields, examples, and how to call it. */
export async function showTool(kay: Kay, name: string): Promise<void> {
  const link = await findToolBackend(kay);
  const tool = link
    ? await link.api.tool(name, { signal: kay.signal }).catch(withList)
    : (await kay.localTools()).find(name).view;
  if (kay.flags.json) return kay.out.writeJson(tool);
  const { out } = kay;
  out.writeLine(
    `${out.paint("bold", toLine(tool.name))}  ${tool.access}${tool.connected === undefined ? "" : `, ${getConnected(tool)}`}`,
  );
  out.writeLine(clean(tool.description));
  const fields = listFields(tool);
  out.writeLine();
  if (fields.length === 0) out.writeLine("This tool takes no fields.");
  else await showFields(kay, fields);
  const examples = tool.examples ?? [];
  if (examples.length > 0) out.writeLine(`\nAsk for it:\n${examples.map((line) => `  ${toLine(line)}`).join("\n")}`);
  const flags = fields.filter(({ required }) => required).map((field) => ` --field ${quoteShellWord(field.name)}=…`);
  out.writeVerbatim(`\nCall it:\n  kay tools call ${quoteShellWord(tool.name)}${flags.join("")}`);
}

/** Adds the command that lists the tools, which the backend does not know. */
function withList(error: unknown): never {
  if (!isUnknownTool(error)) throw error;
  const { code, message, details, cause } = error;
  throw new Problem(code, message, { hint: "Run `kay tools list` to list all tools.", details, cause });
}

/** On a terminal, each description is below its field; in a pipe, each field is one row. */
async function showFields(kay: Kay, fields: Field[]): Promise<void> {
  const { out, terminal } = kay;
  const rows = fields.map(({ name, type, required, description }) => [
    toLine(name),
    toLine(type),
    required ? "required" : "optional",
    toLine(description),
  ]);
  if (!terminal.stdout.isTerminal) return out.writeTable([], rows);
  const { default: wrapAnsi } = await import("wrap-ansi");
  for (const [name = "", type = "", required = "", description = ""] of rows) {
    out.writeLine(`  ${out.paint("bold", name)}  ${out.paint("dim", `${type}, ${required}`)}`);
    if (description) out.writeLine(wrapAnsi(description, terminal.stdout.columns() - 6).replaceAll(/^/gm, "      "));
  }
}

function getConnected({ connected }: ToolView): string {
  if (connected === undefined) return "";
  return connected ? "connected" : "not connected";
}

function toLine(text: string): string {
  return clean(text, { lines: false });
}
