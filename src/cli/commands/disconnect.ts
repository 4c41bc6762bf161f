import { clean } from "#protocol/clean";
import type { DisconnectResponse, RevocationReport } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { formatAccount, saveAccountLabels } from "../backend/account-labels.ts";
import type { BackendHandle } from "../backend/handle.ts";
import { Command } from "../command.ts";
import type { Kay } from "../kay.ts";
import { canPick, missingArgumentProblem, pickSome } from "../prompt/pick.ts";
import { confirmOrThrow } from "../prompt/question.ts";
import { unknownServiceProblem } from "./connections.ts";

/** Creates `kay disconnect <service...>`. Asks first, because reconnecting requires consent in the browser. */
export function createDisconnectCommand(kay: Kay): Command {
  return new Command("disconnect")
    .description("Disconnect services")
    .argument("[service...]", "Services to disconnect (default: choose from a list)")
    .action(async (names: string[]) => {
      if (names.length === 0 && !canPick(kay)) throw missingArgumentProblem("disconnect", "service");
      const link = await kay.openBackend({ signedIn: true });
      const services = names.length > 0 ? names : await chooseConnected(kay, link);
      const results = await confirmAndDisconnect(kay, link, services, (question) =>
        confirmOrThrow(kay, question, "Use --yes."),
      );
      const answers = results.map(({ answer }) => answer);
      if (kay.flags.json) return kay.out.writeJson(answers.length === 1 ? answers[0] : { disconnected: answers });
      for (const { answer, sentence } of results) {
        kay.out.writeLine(sentence);
        warnAboutAccess(kay, answer.revocation);
      }
    });
}

/**
 * Lets the user choose connected services.
 *
 * @throws Problem CANCELLED when nothing is chosen, USAGE when nothing is connected
 */
async function chooseConnected(kay: Kay, { api }: BackendHandle): Promise<string[]> {
  const { connections } = await api.connections({ signal: kay.signal });
  const connected = Object.entries(connections).filter(([, { connected }]) => connected);
  if (connected.length === 0) throw new Problem("USAGE", "No service is connected.", { hint: "" });
  const choices = connected.map(([name, connection]) => ({
    value: name,
    label: name,
    note: formatAccount(connection),
  }));
  const picks = await pickSome(kay, "Disconnect which service?", choices);
  if (picks === null) throw new Problem("CANCELLED", "No service was disconnected.");
  return picks;
}

/** The backend's answer for one service, and the sentence for users. */
type Disconnection = { answer: DisconnectResponse; sentence: string };

/**
 * Disconnects services after the user confirms. A service that is not connected is not an error, and needs no confirmation.
 *
 * @throws Problem UNKNOWN_SERVICE before prompting, CANCELLED when the user declines
 */
export async function confirmAndDisconnect(
  kay: Kay,
  link: BackendHandle,
  names: string[],
  ask: (question: string) => Promise<boolean>,
): Promise<Disconnection[]> {
  const services = [...new Set(names)];
  const { api, credentials, origin, usesEnvironmentToken: byToken } = link;
  const { session_id } = byToken ? {} : (await credentials.read(origin)).signIn;
  const { connections } = await api.connections({ signal: kay.signal });
  for (const service of services) {
    if (!Object.hasOwn(connections, service)) throw unknownServiceProblem(service, Object.keys(connections));
  }
  const connected = services.filter((service) => connections[service]?.connected);
  if (connected.length > 0 && !(await ask(`Disconnect ${clean(connected.join(", "), { lines: false })}?`)))
    throw new Problem("CANCELLED", "No service was disconnected.");
  const answers: DisconnectResponse[] = [];
  for (const service of services) {
    answers.push(await api.disconnect(service, { session_id, signal: kay.signal }));
    await saveAccountLabels(link, { [service]: { connected: false } });
  }
  return answers.map((answer, index) => {
    const name = clean(answer.service, { lines: false });
    return {
      answer: omitSettledReport(answer, answers.slice(index + 1)),
      sentence: connected.includes(services[index] ?? "") ? `Disconnected ${name}.` : `${name} was not connected.`,
    };
  });
}

/** Omits a report about shared access that a later disconnection revoked. */
function omitSettledReport(answer: DisconnectResponse, later: DisconnectResponse[]): DisconnectResponse {
  const { revocation, ...rest } = answer;
  const isEnded = later.some(({ revocation: last }) => last?.status === "revoked" && last.page === revocation?.page);
  return revocation?.status === "shared" && isEnded ? { ...rest, revocation: { status: "revoked" } } : answer;
}

/** Warns about access that could not be revoked at its service, and how users remove it. */
export function warnAboutAccess(kay: Kay, revocation: RevocationReport | undefined): void {
  if (revocation?.message) kay.out.warn(clean(revocation.message, { lines: false }));
}
