/** Words for secrets in several languages. Secrets belong in a browser, where neither a model nor a log sees them. */
const SECRET =
  /pass(?:w|ph|code)|secret|token|(?:api|ssh|private|access|recovery).?key|credential|\bpin\b|\botp\b|2fa|cvv|card.?number|(?:verification|security|one.?time|login|backup).?code|kennwort|mot de passe|contrase|\bsenha\b|has[łl]o|парол|密码|密碼|パスワード|비밀번호/iu;

/** Finds the text of a form that asks for a secret. */
export function findSecretQuestion(texts: string[]): string | undefined {
  return texts.find((text) => SECRET.test(text.normalize("NFKC")));
}
