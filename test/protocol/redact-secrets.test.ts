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
  ["Notion", `ntn_${body}`],
  ["Airtable", `pat${"a".repeat(14)}.${"0".repeat(64)}`],
  ["a Google client", `GOCSPX-${body}`],
  ["Linear", `lin_api_${body}`],
  ["a program of kay", `program_${"0".repeat(32)}.3.${"a".repeat(43)}`],
  ["PGP", `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${body}\n-----END PGP PRIVATE KEY BLOCK-----`],
  ["JWT", `eyJ${body}.eyJ${body}.${body}`],
  ["PEM", `-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,1\n\n${body}\n-----END RSA PRIVATE KEY-----`],
])("a secret of %s is replaced, and the text around it stays", ([, secret]) => {
  expect(redactSecrets(`before ${secret}`)).toBe(`before ${REDACTED}`);
  expect(redactSecrets(`(${secret})`)).toBe(`(${REDACTED})`);
});

test("a script token keeps only its prefix, as kay's other IDs that are secrets", () => {
  expect(redactSecrets(`KAY_TOKEN: kayt_${"0".repeat(16)}_${"a".repeat(48)}.`)).toBe(`KAY_TOKEN: kayt_${REDACTED}.`);
  expect(redactSecrets(`kayt_${"0".repeat(16)}_cut`)).toBe(`kayt_${REDACTED}`);
});

test("a private key whose end was cut off is replaced to the end", () => {
  expect(redactSecrets(`before -----BEGIN PRIVATE KEY-----\n${body}`)).toBe(`before ${REDACTED}`);
});

test("the value of a variable and the end of a webhook's address are replaced", () => {
  expect(redactSecrets(`OPENAI_API_KEY=${body}`)).toBe(`OPENAI_API_KEY=${REDACTED}`);
  expect(redactSecrets(`https://hooks.slack.com/services/T0/B0/${body}`)).toBe(
    `https://hooks.slack.com/services/${REDACTED}`,
  );
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
