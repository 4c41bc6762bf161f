import type { InputField } from "./interactions.ts";

/** Why a field that asks for a secret cannot be filled in. */
export const SECRETS_REFUSED = "kay does not accept secrets here. Enter them in a browser.";

/** Whether a field asks for a secret, which must not be typed here. */
export function isSecretField({ id, type, label, description }: InputField): boolean {
  if (type !== "text" && type !== "textarea") return false;
  const text = [id, label, description ?? ""]
    .join(" ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ");
  return SECRET.test(text);
}

const SECRET =
  /\b(pass ?(word|wd|phrase|code)s?|secrets?|(api|access|private|secret) ?keys?|tokens?|credentials?|pin (code|number)|otp|2fa|one time code|cvv|cvc)\b/i;
