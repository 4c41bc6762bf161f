import type { ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isQuestion } from "./clauses.ts";
import type { Word } from "./language.ts";
import { toRecord } from "./memory.ts";
import type { ClauseOutcome } from "./plan.ts";
import { isModelRequest } from "./small-talk.ts";

/** A service by its name and its title for people. */
type NamedService = { service: string; title: string };

/** Whether a request is about connections rather than about what is in the services. */
export function isConnectionRequest(clause: Clause, kit: ToolCatalogue): boolean {
  return planConnection(clause, kit) !== undefined;
}

/**
 * "Connect jira and slack", "which services are connected?": a call of the agent's own tool for it, or what to type where it has none.
 */
export function planConnection({ words, text }: Clause, kit: ToolCatalogue): ClauseOutcome | undefined {
  const telling = words.filter(({ kind }) => kind === "word");
  const [first, ...others] = telling;
  if (first === undefined || words.some(({ kind }) => kind === "literal")) return undefined;
  const services = getServices(kit);
  const named = namedIn(telling, services);
  if (named.services.length === 0 && isModelRequest(telling)) return undefined;
  const rest = others.filter((word) => !named.words.has(word) && !word.stop && !AROUND.has(word.lower));
  if (CONNECT.has(first.lower) && (named.services.length > 0 || rest.length <= 2))
    return connect(named.services, rest, services, kit);
  if (DISCONNECT.has(first.lower) && rest.length === 0)
    return { kind: "words", text: formatDisconnect(named.services[0] ?? []) };
  const asks = isQuestion(words) || SHOWS.has(first.lower);
  const about = telling.filter(({ lower }) => ABOUT.has(lower));
  if (!asks || about.length === 0) return undefined;
  const other = rest.filter((word) => word !== first && !ABOUT.has(word.lower));
  return other.length > 0 ? undefined : find(named.services.flat(), text, services, kit);
}

function connect(
  groups: NamedService[][],
  unknown: Word[],
  services: NamedService[],
  kit: ToolCatalogue,
): ClauseOutcome {
  const several = groups.find((group) => group.length > 1);
  if (several) return { kind: "words", text: formatAmbiguous(several) };
  const names = [...new Set(groups.flat().map(({ service }) => service))];
  if (names.length === 0 || unknown.length > 0) {
    return { kind: "words", text: formatUnknownService(unknown.map((word) => word.text).join(" "), services) };
  }
  if (!kit.others.has(CONNECT_SERVICE)) return { kind: "words", text: formatConnect(names) };
  return { kind: "calls", calls: [{ tool: CONNECT_SERVICE, input: { services: names } }], changes: true };
}

function find(named: NamedService[], text: string, services: NamedService[], kit: ToolCatalogue): ClauseOutcome {
  const tool = kit.others.get(FIND_SERVICE);
  if (!tool) return { kind: "words", text: formatServices(services) };
  const { properties, required } = tool.inputSchema;
  const field = Object.entries(properties ?? {}).find(([, schema]) => toRecord(schema).type === "string")?.[0];
  const needed = field !== undefined && Array.isArray(required) && required.includes(field);
  const value = named.length > 0 ? named.map(({ service }) => service).join(" ") : needed ? text.trim() : undefined;
  const input = field !== undefined && value !== undefined ? { [field]: value } : {};
  return { kind: "calls", calls: [{ tool: FIND_SERVICE, input }], changes: false };
}

/** Services with tools here, and those that the tool for connecting knows besides. */
function getServices({ skills, others }: ToolCatalogue): NamedService[] {
  const schema = toRecord(others.get(CONNECT_SERVICE)?.inputSchema.properties?.services);
  const listed = toRecord(schema.items).enum;
  const more = (Array.isArray(listed) ? listed : []).filter((name) => typeof name === "string");
  const known = new Map(skills.map(({ service, title }) => [service, title]));
  for (const name of more) if (!known.has(name)) known.set(name, name);
  return [...known].map(([service, title]) => ({ service, title }));
}

/** The services that words name, each with those it may stand for: "google" for all that begin with it. */
function namedIn(words: Word[], services: NamedService[]): { services: NamedService[][]; words: Set<Word> } {
  const found: { services: NamedService[][]; words: Set<Word> } = { services: [], words: new Set() };
  for (let from = 0; from < words.length; from++) {
    for (const size of [3, 2, 1]) {
      const span = words.slice(from, from + size);
      const meant = span.length < size ? [] : calledBy(span.map(({ lower }) => lower).join(" "), services);
      if (meant.length === 0) continue;
      found.services.push(meant);
      for (const word of span) found.words.add(word);
      from += size - 1;
      break;
    }
  }
  return found;
}

function calledBy(name: string, services: NamedService[]): NamedService[] {
  const spaced = ({ service }: NamedService) => service.replaceAll("-", " ");
  const exact = services.filter((one) => [one.service, spaced(one), one.title.toLowerCase()].includes(name));
  if (exact.length > 0) return exact;
  return services.filter((one) => {
    const parts = one.title.toLowerCase().split(" ");
    return parts.length > 1 && parts.includes(name);
  });
}

const CONNECT_SERVICE = "connect_service";
const FIND_SERVICE = "find_service";

const CONNECT = new Set("connect reconnect authorize authorise link".split(" "));
const DISCONNECT = new Set(["disconnect", "unlink"]);
const SHOWS = new Set(["show", "list", "see", "display"]);
/** Words that ask about connections themselves. */
const ABOUT = new Set("connect connected connections services service integrations integration".split(" "));
/** Words around the names of services that say nothing more. */
const AROUND = new Set("account accounts again support available use up currently".split(" "));

/** What to type to connect services, where no tool does it. */
function formatConnect(names: string[]): string {
  return `I cannot connect services from here. Run \`kay connect ${names.join(" ")}\`.`;
}

function formatDisconnect(services: NamedService[]): string {
  const [only, ...others] = services;
  const name = only && others.length === 0 ? only.service : "<service>";
  return `I cannot take a connection back from here. Run \`kay disconnect ${name}\`.`;
}

/** One name stands for several services. */
function formatAmbiguous(services: NamedService[]): string {
  const lines = services.map(({ service, title }) => `- “connect ${service}” (${title})`);
  return `Which of these do you mean?\n\n${lines.join("\n")}`;
}

/** A service that is not here, with those that are. */
function formatUnknownService(name: string, services: NamedService[]): string {
  const known = services.map(({ service }) => service).join(", ") || "none";
  return name
    ? `There is no service “${name.slice(0, 60)}” here. The services are: ${known}.`
    : `Which service is to be connected? There are: ${known}.`;
}

/** Which services there are, where no tool tells which of them are connected. */
function formatServices(services: NamedService[]): string {
  const known = services.map(({ service }) => service).join(", ") || "none";
  return `The services are: ${known}. Run \`kay connections\` to see which are connected, and \`kay connect <service>\` to connect one.`;
}
