import { expect, test } from "vitest";
import { findSecretQuestion } from "#protocol/secret-questions";

test.each([
  "Your password",
  "pass\u200bword",
  "\u0440\u0430ss\u0077\u043erd",
  "Ange ditt lösenord",
  "أدخل كلمة المرور",
  "הזן סיסמה",
  "Parolanızı girin",
  "Введите пароль",
  "6-digit code from your phone",
  "API-Schlüssel",
])("%s asks for a secret", (text) => {
  expect(findSecretQuestion(["Name", text])).toBe(text);
});

test.each(["Name", "Which project key?", "Postal code", "Passage of the text", "Who passes the ball?"])(
  "%s asks for none",
  (text) => {
    expect(findSecretQuestion([text])).toBeUndefined();
  },
);
