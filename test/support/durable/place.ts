import { afterAll, beforeAll } from "vitest";
import { createNode } from "#backend/store/node";
import { createWorld } from "../backend.ts";
import { connect } from "../consent.ts";
import { type TestDatabase, testDatabase } from "../database.ts";
import { deskServices } from "../desk.ts";
import type { Orders } from "./backend-process.ts";
import { type FakeModel, type FakeService, fakeModel, fakeService, type ModelAsk, type ModelStep } from "./outside.ts";
import { type BackendProcess, backendProcesses } from "./processes.ts";
import { TEST_KEYS } from "./shared.ts";

/** A database with a user connected to Jira, a model, a counting service, and backends as processes. */
export type Place = {
  database: TestDatabase;
  token: string;
  service: FakeService;
  model: FakeModel;
  start(kill?: Orders["kill"]): Promise<BackendProcess>;
  /** Kill whatever runs. */
  killRunning(): Promise<void>;
};

/** One for the tests of a file. */
export function usePlace(script: (ask: ModelAsk) => ModelStep): () => Place {
  let place: (Place & { close(): Promise<void> }) | undefined;
  beforeAll(async () => {
    place = await openPlace(script);
  });
  afterAll(() => place?.close());
  return () => {
    if (!place) throw new Error("The place is there only while tests run.");
    return place;
  };
}

async function openPlace(script: (ask: ModelAsk) => ModelStep): Promise<Place & { close(): Promise<void> }> {
  const database = await testDatabase();
  const model = await fakeModel(script);
  const service = await fakeService();
  const processes = backendProcesses();
  const token = await connectJira(database);
  const orders = { database: database.config, model: model.url, service: service.url };
  return {
    database,
    token,
    service,
    model,
    start: (kill) => processes.start({ ...orders, ...(kill ? { kill } : {}) }),
    killRunning: processes.killRunning,
    close: async () => {
      await processes.close();
      await Promise.all([model.close(), service.close()]);
      await database.drop();
    },
  };
}

/** Connects Jira like a browser, and returns the access token. */
async function connectJira({ db, config }: TestDatabase): Promise<string> {
  const node = createNode(config, () => {});
  const world = createWorld({ db, node, clock: Date, keys: TEST_KEYS, services: deskServices([]) });
  try {
    return (await connect(world)).token;
  } finally {
    await world.backend.close();
    await node.close();
  }
}
