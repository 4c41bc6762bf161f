import { expect, test } from "vitest";
import { testDatabase, useDatabase } from "#test/database";

const database = useDatabase();

test("a test's database has every table and holds what is written", async () => {
  const created_at = new Date("2026-01-02T03:04:05.678Z");
  await database().db.insertInto("installations").values({ id: "kaysession_1", created_at }).execute();
  expect(await database().db.selectFrom("installations").selectAll().execute()).toEqual([
    { id: "kaysession_1", created_at },
  ]);
});

test("each database is fresh", async () => {
  const other = await testDatabase();
  expect(await other.db.selectFrom("installations").selectAll().execute()).toEqual([]);
  await other.drop();
});
