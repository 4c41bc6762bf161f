import type { NamedService } from "#planner/connection-requests";

/** What to type to connect services, where no tool does it. */
export function formatConnect(names: string[]): string {
  return `I cannot connect services from here. Run \`kay connect ${names.join(" ")}\`.`;
}

export function formatDisconnect(services: NamedService[]): string {
  const [only, ...others] = services;
  const name = only && others.length === 0 ? only.service : "<service>";
  return `I cannot take a connection back from here. Run \`kay disconnect ${name}\`.`;
}

/** One name stands for several services. */
export function formatAmbiguous(services: NamedService[]): string {
  const lines = services.map(({ service, title }) => `- “connect ${service}” (${title})`);
  return `Which of these do you mean?\n\n${lines.join("\n")}`;
}

/** A service that is not here, with those that are. */
export function formatUnknownService(name: string, services: NamedService[]): string {
  const known = services.map(({ service }) => service).join(", ") || "none";
  return name
    ? `There is no service “${name.slice(0, 60)}” here. The services are: ${known}.`
    : `Which service is to be connected? There are: ${known}.`;
}

/** Which services there are, where no tool tells which of them are connected. */
export function formatServices(services: NamedService[]): string {
  const known = services.map(({ service }) => service).join(", ") || "none";
  return `The services are: ${known}. Run \`kay connections\` to see which are connected, and \`kay connect <service>\` to connect one.`;
}
