import { Problem } from "#protocol/errors";
import type { ServiceView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import { openIfSignedIn } from "../../backend/known-services.ts";
import type { Kay } from "../../kay.ts";
import { wrapWords } from "../../output/wrap.ts";
import { canPrompt } from "../../prompt/confirm.ts";
import { promptLine, writeNotice } from "../../prompt/line.ts";
import { unknownServiceProblem } from "../connections.ts";
import { type ConnectableService, listConnectableServices } from "./known.ts";

/**
 * Lists the services and asks which ones to connect, by number or name.
 *
 * @throws Problem USAGE that names every service, where kay cannot prompt or nothing is chosen
 */
export async function chooseServices(kay: Kay): Promise<string[]> {
  if (!canPrompt(kay) || kay.flags.json) throw await missingServiceProblem(kay);
  const all = await listConnectableServices(kay, await openIfSignedIn(kay, true));
  const services = all.filter(({ known }) => !known);
  const names = all.map(({ name }) => name);
  const widest = Math.max(...services.map(({ name }) => toLine(name).length));
  for (const [index, service] of services.entries()) writeNotice(kay, formatChoice(service, index + 1, widest));
  writeNotice(kay, formatKnown(kay, all));
  for (;;) {
    const typed = await promptLine(kay, "Which service? Give a number or a name: ", kay.signal);
    const words = typed.split(/[\s,]+/).filter((word) => word !== "");
    if (words.length === 0) throw await missingServiceProblem(kay, all);
    const chosen = words.map((word) => names[Number(word) - 1] ?? word.toLowerCase());
    const unknown = chosen.find((name) => !names.includes(name));
    if (unknown === undefined) return chosen;
    writeNotice(kay, unknownServiceProblem(unknown, names).message);
  }
}

/** Builds the error for a missing name, with every service as the hint. */
export async function missingServiceProblem(kay: Kay, services?: ConnectableService[]): Promise<Problem> {
  const all = services ?? (await listConnectableServices(kay, null));
  const names = all.flatMap(({ name, known }) => (known ? [] : [toLine(name)])).join(", ");
  const more = all.filter(({ known }) => known).length;
  return new Problem("USAGE", "Specify a service to connect.", {
    hint: `For example: kay connect jira. The services are ${names}, and ${more} MCP servers: \`kay services list --known\`.`,
  });
}

function formatKnown(kay: Kay, all: ConnectableService[]): string {
  const names = all.flatMap(({ name, known }) => (known ? [name] : [])).join(", ");
  return wrapWords(`MCP servers, by name: ${names}`, kay.terminal.stderr.columns()).join("\n");
}

function formatChoice({ name, connected }: ServiceView, number: number, widest: number): string {
  return `${String(number).padStart(4)}  ${toLine(name).padEnd(widest)}${connected ? "  connected" : ""}`.trimEnd();
}
