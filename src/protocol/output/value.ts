import { isNestedDeeper } from "../json.ts";

/** Returns the JSON value in an answer: the whole text, or its only code block, because many models insist on one. */
export function parseValue(text: string): { value: unknown } | { problems: { path: string; message: string }[] } {
  if (text.length > MAX_CHARACTERS) return toProblems("is too long");
  const blocks = listCodeBlocks(text);
  const candidates = [text, ...(blocks.length === 1 ? blocks : [])];
  for (const candidate of candidates) {
    const json = tryParseJson(candidate);
    if (!json) continue;
    if (/\\u0000/.test(candidate)) return toProblems("contains a NUL character");
    return isNestedDeeper(json.value, MAX_DEPTH) ? toProblems("is nested too deeply") : json;
  }
  return toProblems(text.trim() === "" ? "is empty" : "is not JSON");
}

function tryParseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Lists the contents of code blocks line by line: a pattern would look for the end of each block anew. */
function listCodeBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] | undefined;
  for (const line of text.split("\n")) {
    if (block && /^[ \t]*```[ \t]*$/.test(line)) {
      blocks.push(block.map((line) => `${line}\n`).join(""));
      block = undefined;
    } else if (block) block.push(line);
    else if (/^[ \t]*```[^`]*$/.test(line)) block = [];
  }
  return blocks;
}

function toProblems(message: string) {
  return { problems: [{ path: "", message }] };
}

/** Limits of one answer, which is checked at once and stored in the log. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_DEPTH = 64;
