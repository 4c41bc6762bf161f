import { isLoopbackHost } from "#net/addresses";
import type { Terminal } from "../terminal/terminal.ts";

/** Formats a link as a QR code, or explains why not: the link leads to this machine, or the window is too small. */
export async function formatQr(url: string, window: Pick<Terminal["stdout"], "columns" | "rows">): Promise<string> {
  if (isLocalLink(url))
    return "A phone cannot use this link: it leads back to this machine. Press c to copy it instead.";
  const { renderUnicodeCompact } = await import("uqr");
  const code = renderUnicodeCompact(url);
  const lines = code.split("\n");
  const width = lines[0]?.length ?? 0;
  if (lines.length <= window.rows() && width <= window.columns()) return code;
  return `The QR code needs a window of ${width} columns and ${lines.length} rows. Make it larger and press q again.`;
}

function isLocalLink(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  const back = searchParams.get("redirect_uri") ?? "";
  return isLoopbackHost(hostname) || (URL.canParse(back) && isLoopbackHost(new URL(back).hostname));
}
