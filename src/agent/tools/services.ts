import * as z from "zod/mini";
import { withDescription } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { ServiceView } from "#protocol/tools";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

/** Asks which services there are, as they are now. */
export type ListServices = () => Promise<ServiceView[]>;

/** Which services there are and which are connected (seed: find_system). */
export function createFindServiceTool(services: ListServices): AgentTool {
  return defineOwnTool({
    name: "find_service",
    description: "Show which services can be used, which are connected, and as whom.",
    input: z.object({
      query: withDescription(
        z.optional(z.string()),
        "Part of a service's name, or of what it is for; everything without it.",
      ),
    }),
    examples: ["which services are connected", "what can I connect", "is {query} connected"],
    summary: ({ query }) => (query ? `Look for the service ${query}` : "Look which services there are"),
    run: async ({ query = "" }) => {
      const wanted = query.trim().toLowerCase();
      const all = await services();
      const named = all.filter(({ name, title = "", tools = [] }) =>
        [name, title, ...tools].some((text) => text.toLowerCase().includes(wanted)),
      );
      const found = named.length > 0 ? named : all;
      const rows = found.map(({ name, title, state, user, metadata }) => ({ name, title, state, user, metadata }));
      const lines = rows.map((row) => `| ${row.title ?? row.name} | ${WORDS[row.state]} | ${getAccount(row.user)} |`);
      return { data: rows, text: ["| service | state | account |", "| --- | --- | --- |", ...lines].join("\n") };
    },
  });
}

/** Have the person connect services in the browser (seed: authenticate_oauth). The request waits until they have. */
export function createConnectServiceTool(services: ListServices): AgentTool {
  return defineOwnTool({
    name: "connect_service",
    description: "Have the person connect one or several services in the browser, and wait until they are connected.",
    input: z.object({
      services: withDescription(
        z.array(z.string()).check(z.minLength(1)),
        "Names of the services, as find_service gives them.",
      ),
      reason: withDescription(z.optional(z.string()), "What they are needed for, in a few words."),
    }),
    examples: ["connect {services}", "sign in to {services}"],
    summary: ({ services: names }) => `Connect ${names.join(" and ")}`,
    run: async ({ services: names, reason }) => {
      const all = await services();
      const wanted = names.map((name) => findKnown(all, name));
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
      const why = reason ? ` (${reason})` : "";
      throw new Problem("AUTH_REQUIRED", `${titles} must be connected${why}.`, {
        details: { integrations: missing.map(({ name }) => name) },
      });
    },
  });
}

function findKnown(all: ServiceView[], name: string): ServiceView {
  const wanted = name.trim().toLowerCase();
  const found = all.find((each) => each.name === wanted || each.title?.toLowerCase() === wanted);
  if (found) return found;
  const names = all.map((each) => each.name).join(", ");
  throw new Problem("UNKNOWN_SERVICE", `There is no service “${name.slice(0, 60)}”. The services are ${names}.`, {
    hint: "",
  });
}

function getAccount(user: unknown): string {
  const { name, email, username } = (user ?? {}) as Record<string, unknown>;
  return String(name ?? username ?? email ?? "");
}

const WORDS = { connected: "connected", not_connected: "not connected", not_configured: "not configured here" };
