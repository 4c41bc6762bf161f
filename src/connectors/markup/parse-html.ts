import type { Document } from "domhandler";
import { DomHandler, Parser, type ParserOptions } from "htmlparser2";

/** Elements that are nested deeper count as their content: what reads the tree calls itself for each level. */
const MAX_DEPTH = 200;

/** Parses HTML or XHTML of any quality into a tree of at most 200 levels. Never throws. */
export function parseHtml(html: string, options?: ParserOptions): Document {
  const handler = new ShallowHandler();
  new Parser(handler, options).end(html);
  return handler.root;
}

class ShallowHandler extends DomHandler {
  private depth = 0;

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (++this.depth <= MAX_DEPTH) super.onopentag(name, attributes);
  }

  override onclosetag(): void {
    if (this.depth-- <= MAX_DEPTH) super.onclosetag();
  }
}
