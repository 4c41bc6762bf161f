import type { AddServiceResponse, CustomServiceView } from "#protocol/custom-services";
import { toLine } from "#ui/text/words";
import type { Kay } from "../../kay.ts";
import { wrapWords } from "../../output/wrap.ts";

/** Shows the service to add on stderr; stdout has the result. */
export async function showDescription(kay: Kay, { service, changes }: AddServiceResponse): Promise<void> {
  const room = kay.terminal.stderr.isTerminal ? kay.terminal.stderr.columns() : WIDE;
  kay.terminal.stderr.write(`${formatDescription(service, room)}\n`);
  for (const change of changes) kay.out.warn(toLine(change));
}

/** Formats a service with its tools and the texts that models get, `room` columns wide. */
export function formatDescription(service: CustomServiceView, room: number): string {
  return [...formatHead(service), "", ...formatTools(service, room)].join("\n");
}

/** Width of output that is not a terminal, in columns. */
const WIDE = 160;

function formatHead({ name, title, base_url, sign_in, mcp }: CustomServiceView): string[] {
  const location = mcp?.command === undefined ? `at ${toLine(base_url)}` : `runs ${toLine(mcp.command)}`;
  return [
    `${toLine(title)} (${toLine(name)}) ${location}`,
    ...(mcp?.folder === undefined ? [] : [`In the folder ${toLine(mcp.folder)}`]),
    ...(mcp?.env ? [`Given ${mcp.env.map(toLine).join(", ")} from the environment of the local backend`] : []),
    ...(mcp?.server === undefined ? [] : [`An MCP server that calls itself “${toLine(mcp.server)}”`]),
    SIGN_INS[sign_in] ?? toLine(sign_in),
    ...(mcp ? [CLAIMS] : []),
  ];
}

const CLAIMS = "Models get the texts below unchanged. The server wrote them, and kay cannot check them.";

const SIGN_INS: Record<string, string> = {
  oauth2: "Sign-in: consent in the browser (OAuth 2)",
  bearer: "Sign-in: an access token, pasted in the browser",
  api_key: "Sign-in: an API key, pasted in the browser",
  basic: "Sign-in: user name and password, typed in the browser",
  none: "Sign-in: none",
};

/** Formats each tool, with its access first, which users must check. */
function formatTools({ tools, mcp }: CustomServiceView, room: number): string[] {
  const widest = Math.max(0, ...tools.map(({ name }) => toLine(name).length));
  const rows = tools.flatMap((tool) => {
    const texts = listTexts(tool);
    const remark = formatRemark(tool, texts);
    const head = `  ${toLine(tool.access).padEnd(ACCESS_WIDTH)}  ${toLine(tool.name).padEnd(widest)}`;
    const line = `${head}  ${remark}`.trimEnd();
    return [
      ...(line.length <= room
        ? [line]
        : [head.trimEnd(), ...wrapWords(remark, room - INDENT.length).map((row) => INDENT + row)]),
      ...texts.flatMap((text) => wrapWords(text, room - INDENT.length).map((row) => INDENT + row)),
    ];
  });
  const length = countCharacters(tools.flatMap(listTexts));
  return mcp && length > 0
    ? [...rows, `Texts of ${tools.length === 1 ? "1 tool" : `${tools.length} tools`}: ${formatLength(length)}`]
    : rows;
}

const ACCESS_WIDTH = "destructive".length;
const INDENT = " ".repeat(6);

type ToolView = CustomServiceView["tools"][number];

/** Lists the texts of a tool that a model reads: its description, and one for each parameter. */
function listTexts({ description = "", parameters = [] }: ToolView): string[] {
  const described = parameters.map(({ name, text }) => `${toLine(name)} ${toLine(text)}`.trim());
  return [toLine(description), ...described].filter(Boolean);
}

function formatRemark({ method, path = "", claim }: ToolView, texts: string[]): string {
  if (method !== undefined) return `${toLine(method)} ${toLine(path)}`;
  const length = countCharacters(texts);
  const parts = [
    claim === undefined ? "" : `the server calls it a ${toLine(claim)}`,
    length > 0 ? formatLength(length) : "",
  ];
  const remark = parts.filter(Boolean).join(", ");
  return remark === "" ? "" : `(${remark})`;
}

function countCharacters(texts: string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function formatLength(length: number): string {
  return length === 1 ? "1 character" : `${length.toLocaleString("en-US")} characters`;
}
