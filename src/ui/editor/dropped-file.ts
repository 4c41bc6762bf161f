import type { Key } from "../keys/key.ts";

/**
 * Terminals paste the path of a file that is dropped on them: plain, in quotes, with escaped spaces, or as a `file:` URL. If it
 * is the path of a picture or a PDF, returns a paste that mentions the file; every other key stays as it is.
 */
export function mentionDroppedFile(key: Key): Key {
  if (key.name !== "paste") return key;
  const path = parsePath(key.text.trim());
  if (path === undefined || !FILE.test(path)) return key;
  return { ...key, text: /\s/.test(path) ? `@"${path}" ` : `@${path} ` };
}

/** An absolute path on one line that ends like a picture or a PDF. What the file is, its bytes tell later. */
const FILE = /^(?:\/|[A-Za-z]:\\)[^\n"\p{C}]{1,1000}\.(?:png|jpe?g|gif|webp|pdf)$/iu;

function parsePath(text: string): string | undefined {
  const quoted = /^'([^'\n]*)'$|^"([^"\n]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (text.startsWith("file:")) {
    const url = URL.parse(text);
    return url?.pathname ? tryDecode(url.pathname) : undefined;
  }
  if (text.startsWith("/") && /(?<!\\)\s/.test(text)) return undefined;
  return text.startsWith("/") ? text.replace(/\\(.)/g, "$1") : text;
}

function tryDecode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
