import * as z from "zod/mini";
import { withDescription } from "#connectors/tool";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isAccountLabel } from "#protocol/tool-names";
import type { ServiceView } from "#protocol/tools";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

/** Longest reason of the model that a card shows, in characters. */
const MAX_REASON_LENGTH = 120;

/** Returns the services with their current state. */
export type ListServices = () => Promise<ServiceView[]>;

const FindInput = z.object({
  query: withDescription(z.optional(z.string()), "Part of a service's name or purpose. Omit it to list every service."),
});

const ConnectInput = z.object({
  services: withDescription(z.array(z.string()).check(z.minLength(1)), "Names or titles of the services."),
  reason: withDescription(z.optional(z.string()), "Why they are needed, in a few words."),
});

/** Creates the tool that lists the services and their connections. */
export function createFindServiceTool(services: ListServices): AgentTool {
  return defineOwnTool({
    name: "find_service",
    description: "Show the available services, which are connected, and as which account.",
    input: FindInput,
    examples: ["which services are connected", "what can I connect", "is {query} connected"],
    summary: ({ query }) => (query ? `Find the service ${query}` : "List the services"),
    run: async ({ query = "" }) => {
      const wanted = query.trim().toLowerCase();
      const all = await services();
      const named = all.filter(({ name, title = "", tools = [] }) =>
        [name, title, ...tools].some((text) => text.toLowerCase().includes(wanted)),
      );
      const matches = named.length > 0 ? named : all;
      const rows = matches.map(({ name, title, state, user, metadata }) => ({ name, title, state, user, metadata }));
      const lines = rows.map(
        (row) => `| ${row.title ?? row.name} | ${STATE_LABELS[row.state]} | ${getAccount(row.user)} |`,
      );
      return { data: rows, text: ["| service | state | account |", "| --- | --- | --- |", ...lines].join("\n") };
    },
  });
}

/** Creates the tool that asks the user to connect services in the browser and waits until they have. */
export function createConnectServiceTool(services: ListServices): AgentTool {
  return defineOwnTool({
    name: "connect_service",
    description: "Ask the user to connect one or more services in the browser, and wait until they are connected.",
    input: ConnectInput,
    examples: ["connect {services}", "sign in to {services}"],
    summary: ({ services: names }) => `Connect ${names.join(" and ")}`,
    run: async ({ services: names, reason }) => {
      const all = await services();
      const wanted = names.map((name) => findService(all, name));
      const missing = wanted.filter(({ state }) => state !== "connected");
      const impossible = missing.find(({ state }) => state === "not_configured");
      if (impossible)
        throw new Problem(
          "SERVICE_NOT_CONFIGURED",
          `${impossible.title ?? impossible.name} is not configured on this backend.`,
        );
      if (missing.length === 0) {
        const list = wanted.map(({ title, name, user }) => `${title ?? name} is connected as ${getAccount(user)}.`);
        return { data: { connected: wanted.map(({ name }) => name) }, text: list.join("\n") };
      }
      const titles = missing.map(({ title, name }) => title ?? name).join(" and ");
      // The card shows this, and its other words are kay's.
      const why = reason?.trim() ? ` The model says: “${cleanLine(reason, MAX_REASON_LENGTH)}”` : "";
      throw new Problem("AUTH_REQUIRED", `${titles} must be connected.${why}`, {
        details: { integrations: missing.map(({ name }) => name) },
      });
    },
  });
}

function findService(all: ServiceView[], name: string): ServiceView {
  const wanted = name.trim().toLowerCase();
  const match = all.find((each) => each.name === wanted || each.title?.toLowerCase() === wanted);
  if (match) return match;
  const [base = "", label = ""] = wanted.split("@");
  const service = all.find((each) => each.name === base);
  // One more account of a service.
  if (service && isAccountLabel(label) && wanted === `${base}@${label}`)
    return { ...service, name: wanted, title: `${service.title ?? base} (${label})`, state: toNewState(service) };
  const names = all.map((each) => each.name).join(", ");
  throw new Problem("UNKNOWN_SERVICE", `Unknown service “${name.slice(0, 60)}”. Available services: ${names}.`, {
    hint: "",
  });
}

function toNewState({ state }: ServiceView): ServiceView["state"] {
  return state === "not_configured" ? state : "not_connected";
}

function getAccount(user: unknown): string {
  const { name, email, username } = (user ?? {}) as Record<string, unknown>;
  return String(name ?? username ?? email ?? "");
}

const STATE_LABELS = { connected: "connected", not_connected: "not connected", not_configured: "not configured here" };
