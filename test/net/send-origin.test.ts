import { expect, test } from "vitest";
import { parseOrigin } from "#net/addresses";
import type { Problem } from "#protocol/errors";

function refusal(url: string, allowInsecure = false): string {
  try {
    parseOrigin(url, { allowInsecure });
  } catch (error) {
    const problem = error as Problem;
    return `${problem.code}: ${problem.message}`;
  }
  return expect.fail(`${url} should be refused`);
}

test("https anywhere and http on this machine are accepted and normalized, with their base path", () => {
  expect(parseOrigin(" https://KAY.example.test:443/api/ ", { allowInsecure: false })).toEqual({
    origin: "https://kay.example.test",
    baseUrl: "https://kay.example.test/api",
    loopback: false,
  });
  expect(parseOrigin("http://localhost:4000", { allowInsecure: false })).toEqual({
    origin: "http://localhost:4000",
    baseUrl: "http://localhost:4000",
    loopback: true,
  });
});

test("plain http to another machine is refused unless the user allowed it", () => {
  expect(refusal("http://kay.example.test")).toBe(
    "INSECURE_URL: http://kay.example.test would receive your tokens unencrypted over the network.",
  );
  expect(refusal("http://localhost.evil.test")).toContain("INSECURE_URL");
  expect(refusal("http://0.0.0.0:4000")).toContain("INSECURE_URL");
  expect(parseOrigin("http://kay.example.test", { allowInsecure: true }).origin).toBe("http://kay.example.test");
});

test("an invalid backend address is refused with the reason, and no password is repeated", () => {
  expect(refusal("https://ann:secret@kay.test")).toBe(
    "INSECURE_URL: The URL must not contain a user name or password.",
  );
  expect(refusal("ftp://kay.test")).toBe("INSECURE_URL: The URL must start with https:// or http://, not ftp://.");
  expect(refusal("javascript:alert(1)")).toBe('USAGE: The URL is not valid: "javascript:alert(1)".');
  expect(refusal("localhost:4000")).toBe('USAGE: The URL is not valid: "localhost:4000".');
  expect(refusal("")).toBe('USAGE: The URL is not valid: "".');
  expect(refusal("ann:secret@kay test")).toBe('USAGE: The URL is not valid: "***@kay test".');
  expect(refusal("https://kay.test/?token=1")).toBe("USAGE: The URL must not contain a query or a fragment.");
  expect(refusal("http://user@127.0.0.1", true)).toContain("INSECURE_URL");
});
