import { expect, test } from "vitest";
import { KNOWN_SERVICES } from "#protocol/known-services";

test.each(KNOWN_SERVICES.map((known) => [known.name, known] as const))("the row of %s is complete", (_, known) => {
  expect(known.name).toMatch(/^[a-z][a-z0-9-]{1,30}$/);
  expect(known.title).not.toBe("");
  expect(known.purpose).toMatch(/^\S.{3,60}\S$/);
  expect(new URL(known.url)).toMatchObject({ protocol: "https:", href: known.url, username: "", hash: "" });
  expect(["http", "sse"]).toContain(known.transport);
  expect(["automatic", "client-id", "key", "none"]).toContain(known.client);
  for (const page of [known.docs, known.source]) expect(new URL(page).protocol).toBe("https:");
  expect(known.checked).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
});

test("names are sorted and unique", () => {
  const names = KNOWN_SERVICES.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)].sort());
});
