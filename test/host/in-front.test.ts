import { expect, test } from "vitest";
import { parseDrainTime, parseTrustedProxies, resolveClientAddress } from "#host/trusted-proxies";

const trusts = parseTrustedProxies("loopback, 10.0.0.0/8, 192.0.2.7, 2001:db8::/32");
const resolveClient = (peer: string, headers: Record<string, string>) =>
  resolveClientAddress(trusts, new Headers(headers), peer);

test.each([
  [
    "a peer that is not trusted says nothing about others",
    "198.51.100.1",
    { "x-forwarded-for": "203.0.113.5" },
    "198.51.100.1",
  ],
  ["a server that is trusted says for whom it asks", "127.0.0.1", { "x-forwarded-for": "203.0.113.5" }, "203.0.113.5"],
  [
    "what somebody wrote before the last one that is not trusted is not believed",
    "127.0.0.1",
    { "x-forwarded-for": "1.1.1.1, 203.0.113.5, 10.1.2.3" },
    "203.0.113.5",
  ],
  [
    "servers one behind the other, all trusted, are passed",
    "192.0.2.7",
    { "x-forwarded-for": "10.9.9.9, 127.0.0.2" },
    "10.9.9.9",
  ],
  ["ports and brackets belong to no address", "10.0.0.1", { "x-forwarded-for": "[2001:db9::1]:4711" }, "2001:db9::1"],
  ["the same with IPv4", "10.0.0.1", { "x-forwarded-for": "203.0.113.5:80" }, "203.0.113.5"],
  [
    "an IPv4 address in IPv6 is the IPv4 address",
    "10.0.0.1",
    { "x-forwarded-for": "::ffff:203.0.113.5" },
    "203.0.113.5",
  ],
  ["a word that is no address ends it", "10.0.0.1", { "x-forwarded-for": "203.0.113.5, unknown" }, "10.0.0.1"],
  ["an empty header says nothing", "10.0.0.1", { "x-forwarded-for": "" }, "10.0.0.1"],
  [
    "Forwarded counts where there is no X-Forwarded-For",
    "2001:db8::9",
    { forwarded: 'for="[2001:db9::1]:4711";proto=https, for=10.0.0.3;by=10.0.0.4' },
    "2001:db9::1",
  ],
  [
    "of both, X-Forwarded-For counts",
    "10.0.0.1",
    { forwarded: "for=203.0.113.9", "x-forwarded-for": "203.0.113.5" },
    "203.0.113.5",
  ],
  [
    "an identifier that hides the address ends it",
    "10.0.0.1",
    { forwarded: "for=203.0.113.5, for=_hidden" },
    "10.0.0.1",
  ],
  ["nothing is said", "10.0.0.1", {}, "10.0.0.1"],
])("%s", (_, peer, headers, expected) => {
  expect(resolveClient(peer, headers as Record<string, string>)).toBe(expected);
});

test.each(["10.0.0.0/33", "2001:db8::/129", "10.0.0.0/8/8", "10.0.0.0/", "proxy.example.com", "10.0.0"])(
  "%s is not a valid proxy address",
  (entry) => {
    expect(() => parseTrustedProxies(`loopback,${entry}`)).toThrowError(
      expect.objectContaining({
        code: "USAGE",
        message: `${JSON.stringify(entry)} is not a valid proxy address.`,
      }),
    );
  },
);

test("an empty list trusts no proxy", () => {
  expect(parseTrustedProxies(" , ")("127.0.0.1")).toBe(false);
});

test("the drain time is given in seconds", () => {
  expect(["0", "1.5", "600"].map(parseDrainTime)).toEqual([0, 1_500, 600_000]);
  for (const text of ["", "-1", "601", "5s", "NaN"])
    expect(() => parseDrainTime(text)).toThrow("is not a valid drain time");
});
