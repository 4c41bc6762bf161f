import { expect } from "vitest";
import type { BackendPorts } from "#backend/ports";
import { type DeskLog, deskServices } from "./desk.ts";
import { type Machine, parseDocument, type RunSetting, type useKay } from "./kay.ts";

/** A terminal with a screen reader; its input, one line per question. */
export function typeLines(types: NonNullable<RunSetting["types"]>, more: RunSetting = {}): RunSetting {
  return { terminal: true, columns: 200, env: { NO_COLOR: "1", ACCESSIBLE: "1" }, types, ...more };
}

/** The sandbox's services, with Jira tools that only record what they did. */
export function withDesk(log: DeskLog): (configured: BackendPorts["services"]) => BackendPorts["services"] {
  const desk = deskServices(log).find(({ service }) => service.name === "jira");
  return (configured) =>
    configured.map((configuration) =>
      configuration.service.name === "jira" && desk
        ? { ...configuration, service: { ...configuration.service, tools: desk.service.tools } }
        : configuration,
    );
}

/** A machine signed in at a backend whose Jira records what it did. */
export function openDesk(kay: ReturnType<typeof useKay>): { ann: Machine; log: DeskLog } {
  const log: DeskLog = [];
  return { ann: kay({ signedIn: true, services: withDesk(log) }), log };
}

/** Requests a change with `--confirm`, and returns the token of the confirmation. */
export async function holdPlan(machine: Machine): Promise<string> {
  expect(await machine('ask --confirm --json "close KAY-4"')).toMatchObject({ exit: 8 });
  return (parseDocument(machine.raw()) as { confirmation_token: string }).confirmation_token;
}

/** A session's output, with IDs and ports shortened. */
export function read(machine: Machine): string {
  return machine
    .raw()
    .both.replaceAll(/\b(session|gen|int)_(\d+_)?[0-9a-f]{32}\b/g, "$1_…")
    .replaceAll(/\bkay (attach )?[0-9a-f]{4}\b/g, "kay $1…")
    .replaceAll(/--resume [0-9a-f]{6}\b/g, "--resume ID")
    .replaceAll(/\(\d+ h left\)/g, "(TIME left)")
    .replaceAll(/^http\S+$/gm, "URL");
}

/** Waits until a session shows this. */
export async function shows(machine: Pick<Machine, "raw">, text: string): Promise<void> {
  while (!machine.raw().both.includes(text)) await new Promise((resolve) => setTimeout(resolve, 5));
}
