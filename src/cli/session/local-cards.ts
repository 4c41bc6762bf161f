import { Problem } from "#protocol/errors";
import type { AnyCard } from "#ui/cards/update-card";
import { toLine } from "#ui/text/words";
import type { CardItem } from "#ui/view/view";
import type { BackendHandle } from "../backend/handle.ts";
import type { ToolReview } from "../commands/connect/approve-tools.ts";
import type { Kay } from "../kay.ts";
import type { LocalForm, SlashContext } from "./slash/command.ts";

export function createQuestionCard(id: string, message: string): AnyCard {
  return { kind: "confirmation", id, message };
}

/** Creates the card of a form that only this terminal has. Its values go to its command. */
export function createFormCard(id: string, { title, prompt, fields, values }: LocalForm, until: number): CardItem {
  const request = {
    interaction_id: id,
    tool_call_id: "",
    tool_name: title,
    interaction_type: "input" as const,
    prompt,
    input_schema: { type: "form" as const, fields },
    initial_values: values,
    expires_at: new Date(until).toISOString(),
  };
  return { kind: "card", type: "form", id, request };
}

export function connectCard(id: string, integrations: string[], until: number): CardItem {
  const expires_at = new Date(until).toISOString();
  return { kind: "card", type: "auth", id, auth: { generation_id: "", integrations, connected: [], expires_at } };
}

/** Creates the review of an MCP server's tools in a session, which are approved with one answer from a list. */
function createSessionReview({ kay, say, pick, width }: SlashContext): ToolReview {
  return {
    show: async ({ service, changes }) => {
      const { formatDescription } = await import("../commands/services/show-description.ts");
      say([formatDescription(service, width()), ...changes.map((change) => `! ${toLine(change)}`)].join("\n"));
    },
    approve: async (look) => {
      if (kay.flags.yes) return {};
      const { listClaimedReads } = await import("../commands/services/trust-reads.ts");
      const reads = listClaimedReads(look).length;
      const choices = [
        { value: "no", label: "Do not approve them", note: "" },
        { value: "ask", label: "Approve them", note: "kay asks before each call" },
        ...(reads > 0
          ? [
              {
                value: "reads",
                label: "Approve them, and run reads without asking",
                note: `the server says that ${reads} only read`,
              },
            ]
          : []),
      ];
      const [value] = (await pick?.(`Approve the tools of ${toLine(look.service.title)}?`, choices)) ?? [];
      if (value === "ask") return {};
      if (value === "reads") return { trust_reads: true };
      throw new Problem("CANCELLED", "Nothing was approved.");
    },
  };
}

/**
 * Connects services from a session. MCP servers that kay knows by name are added first, and their tools approved with one
 * answer once they list them.
 *
 * @param open shows the card of services that need a consent, and waits for its end
 */
export async function connectFromSession(
  context: SlashContext,
  { kay, link }: { kay: Kay; link: BackendHandle },
  services: string[],
  open: (services: string[]) => Promise<unknown>,
): Promise<void> {
  const { addKnownService, approveKnownService, isKnownServer } = await import("../commands/connect/known.ts");
  const review = createSessionReview(context);
  const consents: string[] = [];
  for (const name of services.map((service) => service.toLowerCase())) {
    const connected = await addKnownService(kay, link, name, {}, review);
    if (connected) context.say(`✓ ${connected.message}`);
    else consents.push(name);
  }
  if (consents.length === 0) return;
  await open(consents);
  const { connections } = await link.api.connections({ signal: kay.signal });
  for (const name of consents)
    if (connections[name]?.connected && (await isKnownServer(kay, name)))
      await approveKnownService(kay, link, name, review);
}
