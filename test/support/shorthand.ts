import type { Key } from "#ui/keys/key";

/** Keys in readable notation: `x`, `<ctrl-left>`, `<paste>two\nlines`. */
export function shorthand(keys: Key[]): string[] {
  return keys.map(({ name, text, ctrl, alt, shift }) => {
    const modifiers = `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}`;
    if (name === "text" && modifiers === "") return text;
    if (name === "paste") return `<paste>${text}`;
    return `<${modifiers}${name === "text" ? text.replace(" ", "space") : name}>`;
  });
}

/** Names of keys as {@link shorthand} writes them. */
export function formatKeys(names: string): string[] {
  return names.split(" ").map((name) => `<${name}>`);
}

/** The key that {@link shorthand} writes so. */
export function keyNamed(notation: string): Key {
  const paste = /^<paste>(.*)$/s.exec(notation);
  const inside = paste ? null : /^<((?:ctrl-|alt-|shift-)*)(.+)>$/s.exec(notation);
  const [modifiers, name] = [inside?.[1] ?? "", inside?.[2] ?? ""];
  const has = (modifier: string) => modifiers.includes(modifier);
  const shared = { ctrl: has("ctrl-"), alt: has("alt-"), shift: has("shift-"), at: 0 };
  if (paste) return { name: "paste", text: paste[1] ?? "", ...shared };
  if (!inside) return { name: "text", text: notation, ...shared };
  return isName(name) ? { name, text: "", ...shared } : { name: "text", text: name, ...shared };
}

const NAMES = ["enter", "escape", "tab", "backspace", "delete", "up", "down", "left", "right", "home", "end", "pageup"];

function isName(name: string): name is Exclude<Key["name"], "text" | "paste"> {
  return NAMES.includes(name) || name === "pagedown" || name === "focus" || name === "blur";
}
