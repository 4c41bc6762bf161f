import type { Token, Tokens } from "marked";
import { hasExtraCells } from "#protocol/markdown";
import { lexMarkdown } from "../markup/lex.ts";

/**
 * Converts text or Markdown to Slack's mrkdwn: one star for bold, `<url|label>` for links. `&`, `<` and `>` are
 * escaped, so that text such as `<!channel>` cannot mention anyone. Source:
 * https://docs.slack.dev/messaging/formatting-message-text/
 */
export function markdownToMrkdwn(markdown: string): string {
  try {
    return renderBlocks(lexMarkdown(markdown, { breaks: true })).trim();
  } catch (error) {
    // Markdown that is nested too deeply is sent as plain text.
    if (!(error instanceof RangeError)) throw error;
    return escapeMrkdwn(markdown).trim();
  }
}

function renderBlocks(tokens: Token[]): string {
  return tokens
    .filter(({ type }) => type !== "space" && type !== "checkbox")
    .map(renderBlock)
    .join("\n\n");
}

function renderBlock(token: Token): string {
  switch (token.type) {
    case "heading":
      return `*${renderInline(token.tokens ?? []).replace(/\*/g, "")}*`;
    case "code":
      return `\`\`\`\n${escapeMrkdwn((token as Tokens.Code).text)}\n\`\`\``;
    case "blockquote":
      return renderBlocks(token.tokens ?? [])
        .replace(/^/gm, "> ")
        .replace(/^> $/gm, ">");
    case "list":
      return renderList(token as Tokens.List);
    case "table":
      return hasExtraCells(token as Tokens.Table) ? escapeMrkdwn(token.raw.trim()) : renderTable(token as Tokens.Table);
    case "hr":
      return "———";
    case "paragraph":
    case "text":
      return renderInline(token.tokens ?? [token]);
    default:
      return escapeMrkdwn(token.raw.trim());
  }
}

function renderList({ ordered, start, items }: Tokens.List): string {
  return items
    .map((item, index) => {
      const task = item.task ? (item.checked ? "☑ " : "☐ ") : "";
      const mark = ordered ? `${(Number(start) || 1) + index}. ` : task === "" ? "• " : "";
      const text = renderBlocks(item.tokens).replace(/\n+/g, "\n").replace(/\n/g, "\n    ");
      return mark + task + text;
    })
    .join("\n");
}

/** Formats a table as a code block with aligned columns, because Slack text has no tables. */
function renderTable({ header, rows }: Tokens.Table): string {
  const lines = [header, ...rows].map((cells) => cells.map(({ text }) => escapeMrkdwn(text)));
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const text = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `\`\`\`\n${text.join("\n")}\n\`\`\``;
}

function renderInline(tokens: Token[]): string {
  return tokens.map(renderInlineToken).join("");
}

function renderInlineToken(token: Token): string {
  const renderInner = () => renderInline(("tokens" in token && token.tokens) || []);
  switch (token.type) {
    case "strong":
      return `*${renderInner()}*`;
    case "em":
      return `_${renderInner()}_`;
    case "del":
      return `~${renderInner()}~`;
    case "codespan":
      return `\`${escapeMrkdwn(token.text)}\``;
    case "link":
    case "image":
      return renderLink(token as Tokens.Link);
    case "br":
      return "\n";
    case "escape":
      return escapeMrkdwn(token.text);
    case "text":
      return "tokens" in token && token.tokens ? renderInner() : escapeMrkdwn(token.text);
    default:
      return escapeMrkdwn(token.raw);
  }
}

function renderLink({ href, text, raw }: Tokens.Link): string {
  if (!/^(https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return escapeMrkdwn(raw);
  const url = escapeMrkdwn(href).replace(/\|/g, "%7C");
  return text === "" || text === href ? `<${url}>` : `<${url}|${escapeMrkdwn(text).replace(/\|/g, "¦")}>`;
}

function escapeMrkdwn(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
