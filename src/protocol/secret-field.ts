import type { InputField } from "./interactions.ts";

/** Why a field that asks for a secret cannot be filled in. */
export const SECRETS_REFUSED = "kay does not accept secrets here. Enter them in a browser.";

/** Words for secrets in several languages. Secrets belong in a browser, where neither a model nor a log sees them. */
const SECRET = new RegExp(
  [
    "passw|pass.?(?:wd|phrase|code|ord)|secret|token|credential|\\b(?:pin|otp)\\b|2fa|\\bcv[vc]\\b|card.?number|seed.?phrase|mnemonic",
    "(?:api|ssh|private|access|recovery).?(?:key|schl(?:ü|ue)ssel)",
    "(?:verification|security|one.?time|login|backup|sms|digit).?code",
    "kennwort|wachtwoord|lösenord|adgangskode|salasana|mot de passe|contrase|\\bsenha\\b|has[łl]o|parol|şifre|парол",
    "密码|密碼|パスワード|비밀번호|كلمة (?:المرور|السر)|סיסמ|पासवर्ड",
  ].join("|"),
  "iu",
);

/** Cyrillic and Greek letters that look like Latin ones. */
const TWINS = new Map(
  Array.from("аaсcеeоoрpѕsхxіiԁdѡwοoρp".match(/../gu) ?? [], ([twin = "", latin = ""]) => [twin, latin]),
);

/** Finds the text of a form that asks for a secret, also with invisible or foreign letters in the words. */
export function findSecretQuestion(texts: string[]): string | undefined {
  return texts.find((text) => {
    const normalized = splitWords(text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
    return (
      SECRET.test(normalized) || SECRET.test(Array.from(normalized, (letter) => TWINS.get(letter) ?? letter).join(""))
    );
  });
}

/** Whether a field asks for a secret, which must not be typed here. */
export function isSecretField(field: InputField): boolean {
  return (
    (field.type === "text" || field.type === "textarea") && findSecretQuestion(listFieldTexts(field)) !== undefined
  );
}

/** Lists the texts by which a field can ask for a secret: a description that warns of entering one does not ask for it. */
export function listFieldTexts({
  id,
  label,
  description = "",
}: Pick<InputField, "id" | "label" | "description">): string[] {
  return [id, label, description.replace(WARNING, "")];
}

const WARNING =
  /\b(?:do not|don['’]t|never)\s+(?:enter|give|include|paste|provide|put|send|share|type|use|write)\b[^.!?()]*/gi;

/** Splits the words of an ID: `cardPin` and `card_pin` are `card Pin` and `card pin`. */
function splitWords(text: string): string {
  return text.replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
}
