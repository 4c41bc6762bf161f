import { afterEach, beforeEach } from "vitest";
import type { BackendPorts } from "#backend/ports";
import { createNode, type Node } from "#backend/store/node";
import { createWorld, useBackend, type World } from "./backend.ts";
import { useDatabase } from "./database.ts";
import { createOutside } from "./outside.ts";
import { useScriptedModel } from "./scripted-model.ts";

/** A world for each test, as of {@link useBackend}, with a scripted model. */
export function useScriptedBackend(overrides: Partial<BackendPorts> = {}) {
  const model = useScriptedModel((url, init) => world().outside.fetch(url, init));
  const world = useBackend({ ...overrides, ...model.ports });
  return { model, world };
}

/**
 * Starts backends in a test, each on a separate node, over one database for the file. They share the scripted model and
 * the outside; requests that are missing there, or unknown, fail the test. With `tickMs`, each backend checks that often.
 */
export function useNodes(overrides: Partial<BackendPorts>, { tickMs }: { tickMs?: number } = {}) {
  const database = useDatabase();
  let outside = createOutside();
  const model = useScriptedModel((url, init) => outside.fetch(url, init));
  const worlds: World[] = [];
  const nodes: Node[] = [];
  const ticks: NodeJS.Timeout[] = [];
  beforeEach(() => {
    outside = createOutside();
  });
  afterEach(async () => {
    for (const tick of ticks.splice(0)) clearInterval(tick);
    await Promise.all(worlds.splice(0).map(({ backend }) => backend.close()));
    await Promise.all(nodes.splice(0).map((node) => node.close()));
    outside.settled();
  });
  const start = (more: Partial<BackendPorts> = {}): World => {
    const { db, config } = database();
    const node = createNode(config, () => {});
    const world = { ...createWorld({ db, ...overrides, ...model.ports, ...more, node }), outside };
    nodes.push(node);
    worlds.push(world);
    if (tickMs) ticks.push(setInterval(() => void world.backend.tick().catch(() => {}), tickMs));
    return world;
  };
  return { database, model, start };
}
