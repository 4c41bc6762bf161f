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
      const term = query.trim().toLowerCase();
      const all = await services();
      const nameMatches = all.filter(({ name, title = "", tools = [] }) =>
        [name, title, ...tools].some((text) => text.toLowerCase().includes(term)),
      );
      const matches = nameMatches.length > 0 ? nameMatches : all;
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
      const requested = names.map((name) => findService(all, name));
      const unconnected = requested.filter(({ state }) => state !== "connected");
      const unconfigured = unconnected.find(({ state }) => state === "not_configured");
      if (unconfigured)
        throw new Problem(
          "SERVICE_NOT_CONFIGURED",
          `${unconfigured.title ?? unconfigured.name} is not configured on this backend.`,
        );
      if (unconnected.length === 0) {
        const list = requested.map(({ title, name, user }) => `${title ?? name} is connected as ${getAccount(user)}.`);
        return { data: { connected: requested.map(({ name }) => name) }, text: list.join("\n") };
      }
      const titles = unconnected.map(({ title, name }) => title ?? name).join(" and ");
      // The card shows this, and its other words are kay's.
      const reasonText = reason?.trim() ? ` The model says: “${cleanLine(reason, MAX_REASON_LENGTH)}”` : "";
      throw new Problem("AUTH_REQUIRED", `${titles} must be connected.${reasonText}`, {
        details: { integrations: unconnected.map(({ name }) => name) },
      });
    },
  });
}

function findService(all: ServiceView[], name: string): ServiceView {
  const normalized = name.trim().toLowerCase();
  const match = all.find((entry) => entry.name === normalized || entry.title?.toLowerCase() === normalized);
  if (match) return match;
  const [base = "", label = ""] = normalized.split("@");
  const service = all.find((entry) => entry.name === base);
  // One more account of a service.
  if (service && isAccountLabel(label) && normalized === `${base}@${label}`)
    return { ...service, name: normalized, title: `${service.title ?? base} (${label})`, state: toNewState(service) };
  const names = all.map((entry) => entry.name).join(", ");
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
