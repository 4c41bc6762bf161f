import { clean } from "#protocol/clean";
import { shellWord } from "#protocol/shell";
import type { ToolView } from "#protocol/tools";
import type { Kay } from "../kay.ts";
import { fieldsOf } from "./fields.ts";
import { allTools, linkForTools } from "./source.ts";

/** `kay tools list`: one row for each tool. */
export async function listTools(kay: Kay, service: string | undefined): Promise<void> {
  const tools = await allTools(kay, service);
  if (kay.flags.json) return kay.out.json({ tools });
  const rows = tools.map((tool) => [line(tool.name), tool.access, connectedOf(tool), line(tool.description)]);
  await kay.out.table(["TOOL", "ACCESS", "SERVICE", "DOES"], rows);
}

/** `kay tools show <tool>`: its fields, examples, and how to call it. */
export async function showTool(kay: Kay, name: string): Promise<void> {
  const link = await linkForTools(kay);
  const tool = link ? await link.api.tool(name, { signal: kay.signal }) : (await kay.localTools()).find(name).view;
  if (kay.flags.json) return kay.out.json(tool);
  const { out } = kay;
  out.line(
    `${out.paint("bold", line(tool.name))}  ${tool.access}${tool.connected === undefined ? "" : `, ${connectedOf(tool)}`}`,
  );
  out.line(clean(tool.description));
  const fields = fieldsOf(tool);
  out.line();
  if (fields.length === 0) out.line("It takes no fields.");
  else {
    const rows = fields.map((each) => [
      line(each.name),
      line(each.type),
      each.required ? "required" : "",
      line(each.description),
    ]);
    await out.table(["FIELD", "TYPE", "", "WHAT"], rows);
  }
  const examples = tool.examples ?? [];
  if (examples.length > 0) out.line(`\nAsk for it:\n${examples.map((each) => `  ${line(each)}`).join("\n")}`);
  const given = fields.filter(({ required }) => required).map((each) => ` --field ${shellWord(each.name)}=…`);
  out.line(`\nCall it:\n  kay tools call ${shellWord(tool.name)}${given.join("")}`);
}

function connectedOf({ connected }: ToolView): string {
  if (connected === undefined) return "";
  return connected ? "connected" : "not connected";
}

function line(text: string): string {
  return clean(text, { lines: false });
}
