import type { TestProject } from "vitest/node";
import { build } from "../../scripts/build.ts";
import { makeDatabase } from "./built/ready-database.ts";

/** Builds kay if its sources changed, and creates a database, before the tests that run it as a process. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [code, database] = await Promise.all([build(), makeDatabase()]);
  if (code !== 0) throw new Error("kay could not be built.");
  project.provide("readyDatabase", database.data);
  return database.remove;
}
