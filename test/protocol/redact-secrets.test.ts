import { expect, test } from "vitest";
import { REDACTED, redactSecrets } from "#protocol/redact";

const body = "a".repeat(20);

test.for([
  ["GitHub", `ghp_${body}`],
  ["GitLab", `glpat-${body}`],
  ["Slack", `xoxp-1-${body}`],
  ["Slack with rotation", `xoxe.xoxp-1-${body}`],
  ["AWS", "AKIAIOSFODNN7EXAMPLE"],
  ["npm", `npm_${body}`],
  ["Stripe", `sk_live_${body}`],
  ["JWT", `eyJ${body}.eyJ${body}.${body}`],
  ["PEM", `-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,1\n\n${body}\n-----END RSA PRIVATE KEY-----`],
])("a secret of %s is replaced, and the text around it stays", ([, secret]) => {
  expect(redactSecrets(`before ${secret}`)).toBe(`before ${REDACTED}`);
  expect(redactSecrets(`(${secret})`)).toBe(`(${REDACTED})`);
});

test("a private key whose end was cut off is replaced to the end", () => {
  expect(redactSecrets(`before -----BEGIN PRIVATE KEY-----\n${body}`)).toBe(`before ${REDACTED}`);
});

test("words that only resemble secrets stay", () => {
  for (const text of ["AKIATOOSHORT", "a skill of npm_run", "-----BEGIN CERTIFICATE-----", "eyJ", "tokens: 12"])
    expect(redactSecrets(text)).toBe(text);
});

test.for(["eyJ-", "token", "-----BEGIN PRIVATE KEY-----", "token  ", "a-", "AKIA", "//a:", "sk-", "x=token"])(
  "the cost grows with the text, not with its square: %s",
  (part) => {
    const cost = (length: number) => {
      const text = part.repeat(length / part.length);
      const begun = process.cpuUsage().user;
      redactSecrets(text);
      return process.cpuUsage().user - begun;
    };
    cost(20_000);
    // The square would take 400 times as long.
    expect(cost(400_000)).toBeLessThan(60 * Math.max(cost(20_000), 2_000));
  },
);
