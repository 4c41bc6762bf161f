import { expect, test } from "vitest";
import { findSecretQuestion, isSecretField } from "#protocol/secret-field";

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
  "cardPin",
  "card_pin",
  "pass phrase",
  "CVC",
])("%s asks for a secret", (text) => {
  expect(findSecretQuestion(["Name", text])).toBe(text);
});

test.each(["Name", "Which project key?", "Postal code", "Passage of the text", "Who passes the ball?"])(
  "%s asks for none",
  (text) => {
    expect(findSecretQuestion([text])).toBeUndefined();
  },
);

test("a field asks for a secret by its ID, label or description, if it takes text", () => {
  const field = { id: "value", type: "text" as const, label: "Value" };
  expect(isSecretField(field)).toBe(false);
  expect(isSecretField({ ...field, id: "apiKey" })).toBe(true);
  expect(isSecretField({ ...field, label: "Mot de passe" })).toBe(true);
  expect(isSecretField({ ...field, description: "Paste your access token." })).toBe(true);
  expect(isSecretField({ ...field, description: "Do not enter passwords (never share a PIN)." })).toBe(false);
  expect(isSecretField({ ...field, description: "Never share it. Your password:" })).toBe(true);
  expect(isSecretField({ ...field, type: "checkbox", label: "Rotate the token" })).toBe(false);
});
