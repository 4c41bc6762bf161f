import type { CallToolResult } from "@modelcontextprotocol/client";
import { clean, cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import type { ToolResult } from "../service.ts";
import type { McpTool } from "./definition.ts";
import { compileSchema } from "./validate.ts";

/** Characters of text, blocks, and characters of a structured answer that are taken. */
const LONGEST_TEXT = 60_000;
const MOST_BLOCKS = 60;
const LONGEST_DATA = 60_000;

type Block = CallToolResult["content"][number];

/**
 * What a call came to, in kay's form: text for people, structured data for the model. Pictures, sound and files are told, not shown.
 *
 * @throws Problem SERVICE_FAILED where the tool says that it failed
 */
export function toToolResult(
  title: string,
  tool: McpTool,
  { content, structuredContent, isError }: CallToolResult,
): ToolResult {
  const shown = content.slice(0, MOST_BLOCKS).map(formatBlock).filter(Boolean);
  const more = content.length > MOST_BLOCKS ? [`… and ${content.length - MOST_BLOCKS} more.`] : [];
  const text = shorten([...shown, ...more].join("\n\n"));
  if (isError === true) throw failure(title, text);
  const wrong = structuredContent === undefined ? undefined : misfit(tool, structuredContent);
  const url = content.map(getLink).find((one) => one !== undefined);
  return {
    data: getData(structuredContent),
    text: [text || "Done.", ...(wrong ? [wrong] : [])].join("\n\n"),
    ...(url ? { url } : {}),
  };
}

/** A failure may say much; the first lines tell what it is. */
function failure(title: string, text: string): Problem {
  const said = cleanLine(text, 500).replace(/[.\s]+$/, "");
  return new Problem("SERVICE_FAILED", said ? `${title}: ${said}.` : `${title} says that it failed.`, { hint: "" });
}

function formatBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return clean(block.text.slice(0, LONGEST_TEXT + 1_000)).trim();
    case "image":
    case "audio":
      return `(${block.type === "image" ? "An image" : "Sound"}, ${cleanLine(block.mimeType, 60)}, ${bytes(block.data)})`;
    case "resource_link": {
      const name = escapeCell(cleanLine(block.title ?? block.name, 100));
      return isWeb(block.uri) ? `[${name}](${block.uri})` : `${name}: \`${codeLine(block.uri)}\``;
    }
    case "resource": {
      const { resource } = block;
      const where = `\`${codeLine(resource.uri)}\``;
      if ("text" in resource) return `${where}\n\n${clean(resource.text.slice(0, LONGEST_TEXT + 1_000)).trim()}`;
      return `(${where}, ${cleanLine(resource.mimeType ?? "a file", 60)}, ${bytes(resource.blob)})`;
    }
    default:
      return "";
  }
}

function getLink(block: Block): string | undefined {
  return block.type === "resource_link" && isWeb(block.uri) ? block.uri : undefined;
}

function isWeb(uri: string): boolean {
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

function codeLine(text: string): string {
  return cleanLine(text, 300).replaceAll("`", "'");
}

function bytes(base64: string): string {
  const count = Math.floor((base64.length * 3) / 4);
  return count < 1_024 ? `${count} bytes` : `${Math.round(count / 1_024)} KiB`;
}

function shorten(text: string): string {
  return text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT)}\n\n… (${text.length - LONGEST_TEXT} characters more)`;
}

function getData(structured: unknown): unknown {
  if (structured === undefined) return null;
  return JSON.stringify(structured).length <= LONGEST_DATA ? structured : null;
}

/** An answer that is not as the tool describes it is shown all the same: it may have been a write. */
function misfit({ output, name }: McpTool, structured: unknown): string | undefined {
  const fits = output && JSON.stringify(structured).length <= LONGEST_DATA ? compileSchema(output)?.(structured) : true;
  return fits === false ? `(${name} answered in another form than it describes.)` : undefined;
}
