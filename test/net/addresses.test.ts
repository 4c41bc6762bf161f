import { expect, test } from "vitest";
import { isLoopbackAddress, isLoopbackHost } from "#net/addresses";

const HOSTS: [host: string, loopback: boolean][] = [
  ["localhost", true],
  ["LOCALHOST", true],
  ["localhost.", true],
  ["kay.localhost", true],
  ["127.0.0.1", true],
  ["127.0.0.2", true],
  ["127.1", true],
  ["127.9.9.9", true],
  ["0x7f.0.0.1", true],
  ["2130706433", true],
  ["[::1]", true],
  ["[0:0:0:0:0:0:0:1]", true],
  ["[::ffff:127.0.0.1]", true],
  ["[::ffff:7f12:3456]", true],
  ["0.0.0.0", false],
  ["128.0.0.1", false],
  ["10.0.0.1", false],
  ["[::]", false],
  ["[::2]", false],
  ["[::ffff:7f:1]", false],
  ["[::ffff:10.0.0.1]", false],
  ["mylocalhost", false],
  ["localhost.example.test", false],
  ["127.0.0.1.example.test", false],
];

test.each(HOSTS)("the host %s of a URL is this machine: %s", (host, loopback) => {
  expect(isLoopbackHost(new URL(`http://${host}/`).hostname)).toBe(loopback);
});

test.each([
  ["127.0.0.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["::ffff:10.0.0.1", false],
  ["10.0.0.1", false],
  ["localhost", false],
  ["", false],
])("the peer address %s is this machine: %s", (address, loopback) => {
  expect(isLoopbackAddress(address)).toBe(loopback);
});
