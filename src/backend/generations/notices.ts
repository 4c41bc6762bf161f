import { cleanLine } from "#protocol/clean";
import { toAnswerUrl } from "../approvals/answer-device.ts";
import type { BackendPorts, Notice } from "../ports.ts";
import { claimUnseenRequests, type UnseenRequest } from "../store/notices.ts";

/** How long a request waits for a follower that may still connect, in ms. */
const SETTLE_MS = 2_000;

/**
 * Notifies the user of open requests while no client follows their conversation. A request is claimed before its notice
 * is sent, so it is sent at most once, even if nodes stop.
 */
export async function sendNotices(ports: Pick<BackendPorts, "db" | "clock" | "notify" | "publicUrl">): Promise<void> {
  const { db, clock, notify } = ports;
  if (!notify?.isOn()) return;
  const now = clock.now();
  const requests = await claimUnseenRequests(db, { now, before: now - SETTLE_MS });
  for (const request of requests) void notify.send({ ...toNotice(request), url: toAnswerUrl(ports, request.id) });
}

function toNotice({ id, installation_id, conversation_id, request, auth }: UnseenRequest): Omit<Notice, "url"> {
  const names = auth
    ? auth.integrations.filter((name) => !auth.connected.includes(name))
    : [request?.preview?.service ?? getService(request?.tool_name ?? "")];
  const service = cleanLine(names.join(","), 100);
  const kind = auth ? "auth" : (request?.interaction_type ?? "input");
  return { id, kind, service, line: getLine(kind, service), session_id: conversation_id, installation_id };
}

function getService(tool: string): string {
  return tool.includes(".") ? tool.replace(/\..*/s, "") : "kay";
}

/** Returns the line of a notice. It leaves out the question, because it may appear on a locked screen. */
function getLine(kind: Notice["kind"], service: string): string {
  const label = service.replaceAll(",", ", ");
  if (kind === "auth") return `kay needs a connection to ${label}.`;
  return kind === "approval" ? `kay needs your approval for ${label}.` : `kay has a question about ${label}.`;
}
