import { expect, test } from "vitest";
import { KNOWN_SERVICES } from "#protocol/known-services";

test.each(KNOWN_SERVICES.map((service) => [service.name, service] as const))(
  "the row of %s is complete",
  (_, service) => {
    expect(service.name).toMatch(/^[a-z][a-z0-9-]{1,30}$/);
    expect(service.title).not.toBe("");
    expect(service.purpose).toMatch(/^\S.{3,60}\S$/);
    expect(new URL(service.url)).toMatchObject({ protocol: "https:", href: service.url, username: "", hash: "" });
    expect(["http", "sse"]).toContain(service.transport);
    expect(["automatic", "client-id", "key", "none"]).toContain(service.client);
    for (const page of [service.docs, service.source]) expect(new URL(page).protocol).toBe("https:");
    expect(service.checked).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
  },
);

test("names are sorted and unique", () => {
  const names = KNOWN_SERVICES.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
});
