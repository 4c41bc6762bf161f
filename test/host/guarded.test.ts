import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPublicFetch, type ResolveAddresses } from "#host/outbound-fetch";
import { isPublicAddress } from "#net/public-address";

test.for(
  [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
  ]
    .concat([
      "224.0.0.1",
      "255.255.255.255",
      "::",
      "::1",
      "[::1]",
      "fe80::1%eth0",
      "fd00:ec2::254",
      "fc00::1",
      "ff02::1",
    ])
    .concat([
      "::ffff:10.0.0.1",
      "::ffff:8.8.8.8",
      "64:ff9b::7f00:1",
      "2002:7f00:1::",
      "2001::1",
      "2001:db8::1",
      "localhost",
      "",
    ]),
)("%s is not a public address", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.for(["8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:4700::1111", "[2a00:1450:4001::1]"])(
  "%s is a public address",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test("a socket is never opened to a non-public address, whatever the name resolved to a moment before", async () => {
  let lookupCount = 0;
  const server = createServer((_, response) => {
    lookupCount++;
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const answers = [[{ address: "93.184.215.14", family: 4 }], [{ address: "127.0.0.1", family: 4 }]];
  const resolve: ResolveAddresses = async () => answers.shift() ?? [];
  const guarded = createPublicFetch({ env: {}, resolve });
  onTestFinished(() => guarded.close());
  expect(await guarded.addresses("rebinds.test")).toEqual(["93.184.215.14"]);
  const refused = {
    code: "ADDRESS_REFUSED",
    message: "rebinds.test is not a public address, and this backend connects only to public addresses.",
  };
  await expect(guarded.fetch(`http://rebinds.test:${port}/`)).rejects.toMatchObject(refused);
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
    await expect(guarded.fetch(`http://${host}:${port}/`)).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  const proxied = createPublicFetch({
    env: { HTTP_PROXY: `http://127.0.0.1:${port}` },
    resolve: async () => [{ address: "10.0.0.1", family: 4 }],
  });
  onTestFinished(() => proxied.close());
  await expect(proxied.fetch("http://inner.test/")).rejects.toMatchObject({ code: "ADDRESS_REFUSED" });
  expect(lookupCount).toBe(0);
});
