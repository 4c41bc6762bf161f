import type { CallToolResult } from "@modelcontextprotocol/client";
import { clean, cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isNestedDeeper } from "#protocol/json";
import { getPageTitle } from "#protocol/page-title";
import { parseServiceFault } from "../../http/service-fault.ts";
import { escapeCell } from "../../markup/markdown.ts";
import type { ToolResult } from "../../tool.ts";
import type { McpTool } from "../definition.ts";
import { PROBLEM_KEY } from "../transport/repair-items.ts";
import { compileSchema } from "./validate.ts";

/** Limits of a result: characters of text, number of blocks, and characters of structured output. */
const MAX_TEXT_LENGTH = 60_000;
const MAX_BLOCKS = 60;
const MAX_DATA_LENGTH = 60_000;
/** Deeper data would exhaust the stack where it is serialized. */
const MAX_DATA_DEPTH = 200;

type Block = CallToolResult["content"][number];

/**
 * Converts a result to kay's form: text for users, structured data for the model. Images, audio and files are only
 * mentioned.
 *
 * @throws Problem SERVICE_FAILED when the tool reports an error
 */
export function toToolResult(
  title: string,
  tool: McpTool,
  { content, structuredContent: rawData, isError }: CallToolResult,
): ToolResult {
  const isTooDeep = isNestedDeeper(rawData, MAX_DATA_DEPTH);
  const structuredContent = isTooDeep ? undefined : rawData;
  const texts = content.slice(0, MAX_BLOCKS).map(formatBlock).filter(Boolean);
  const overflow = content.length > MAX_BLOCKS ? [`… and ${content.length - MAX_BLOCKS} more.`] : [];
  const text = shorten([...texts, ...overflow].join("\n\n"));
  if (isError === true) throw toolFailureProblem(title, text || JSON.stringify(structuredContent ?? ""));
  const mismatch = structuredContent === undefined ? undefined : findSchemaMismatch(tool, structuredContent);
  const data = getData(structuredContent);
  const url = content.map(getLink).find((text) => text !== undefined);
  const note = isTooDeep ? "(Its data is nested too deeply for kay.)" : mismatch;
  return {
    data,
    text: [text || (isTooDeep ? "Done." : formatData(data)), ...(note ? [note] : [])].join("\n\n"),
    ...(url ? { url } : {}),
  };
}

/** Shortens the error text of a tool to its first lines. */
function toolFailureProblem(title: string, text: string): Problem {
  const page = getPageTitle(text);
  const reason = page ? `it got the web page “${page}”` : /^[[{]/.test(text) ? parseServiceFault(text).message : "";
  const summary = cleanLine(reason || text.replace(/^""$/, ""), 500).replace(/(?<![.\s])[.\s]+$/, "");
  return new Problem("SERVICE_FAILED", summary ? `${title}: ${summary}.` : `${title} reported an error.`, { hint: "" });
}

function formatBlock(block: Block): string {
  switch (block.type) {
    case "text": {
      const problem = block._meta?.[PROBLEM_KEY];
      if (typeof problem === "string") return `(${cleanLine(problem, 160)}, which kay cannot show.)`;
      return clean(block.text.slice(0, MAX_TEXT_LENGTH + 1_000)).trim();
    }
    case "image":
    case "audio":
      return `(${block.type === "image" ? "An image" : "Sound"}, ${cleanLine(block.mimeType, 60)}, ${formatBytes(block.data)})`;
    case "resource_link": {
      const name = escapeCell(cleanLine(block.title ?? block.name, 100));
      return isWebUrl(block.uri) ? `[${name}](${block.uri})` : `${name}: \`${formatCodeLine(block.uri)}\``;
    }
    case "resource": {
      const { resource } = block;
      const where = `\`${formatCodeLine(resource.uri)}\``;
      if ("text" in resource) return `${where}\n\n${clean(resource.text.slice(0, MAX_TEXT_LENGTH + 1_000)).trim()}`;
      return `(${where}, ${cleanLine(resource.mimeType ?? "a file", 60)}, ${formatBytes(resource.blob)})`;
    }
    default:
      return "";
  }
}

function getLink(block: Block): string | undefined {
  return block.type === "resource_link" && isWebUrl(block.uri) ? block.uri : undefined;
}

function isWebUrl(uri: string): boolean {
  const url = URL.parse(uri);
  return (
    !!url &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    /^[\x21-\x7e]{1,2000}$/.test(uri) &&
    !/[()<>]/.test(uri)
  );
}

function formatCodeLine(text: string): string {
  return cleanLine(text, 300).replaceAll("`", "'");
}

function formatBytes(base64: string): string {
  const count = Math.floor((base64.length * 3) / 4);
  return count < 1_024 ? `${count} bytes` : `${Math.round(count / 1_024)} KiB`;
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH)}\n\n… (${text.length - MAX_TEXT_LENGTH} more characters)`;
}

/** Formats data for users, since many servers do not send it as text too (MCP, "Structured Content"). */
function formatData(data: unknown): string {
  return data === null ? "Done." : `\`\`\`json\n${clean(JSON.stringify(data, null, 2))}\n\`\`\``;
}

function getData(structured: unknown): unknown {
  if (structured === undefined) return null;
  return JSON.stringify(structured).length <= MAX_DATA_LENGTH ? structured : null;
}

/**
 * Returns a note if the output does not match the tool's schema. It is shown anyway, because the call may have been a
 * write.
 */
function findSchemaMismatch({ output, name }: McpTool, structured: unknown): string | undefined {
  const fits =
    output && JSON.stringify(structured).length <= MAX_DATA_LENGTH ? compileSchema(output)?.(structured) : true;
  return fits === false ? `(The output of ${name} does not match its schema.)` : undefined;
}
