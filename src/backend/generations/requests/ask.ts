import type { AskRequest } from "#protocol/ask";
import type { BackendPorts } from "../../ports.ts";
import { listEvents } from "../../store/events.ts";
import type { Engine } from "../engine.ts";
import {
  checkAllowList,
  checkModelChoice,
  type LinkRequest,
  type NewGeneration,
  parseChoices,
  parseLimits,
} from "../request.ts";
import { findUsage } from "../usage.ts";
import { type AskContext, type AskResult, toAnswer } from "./ask-result.ts";
import { attendGeneration } from "./attend.ts";
import { startGeneration } from "./start.ts";

/**
 * Handles `POST /ask` in its three modes (docs/protocol.md). Without `confirm`, reads and writes run and only
 * destructive calls are held; with `confirm`, nothing runs before an approval.
 *
 * @param signal fires when the caller disconnects, which stops the work
 * @throws Problem SESSION_NOT_FOUND, INVALID_REQUEST
 */
export async function ask(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  body: AskRequest,
  { signal, link }: { signal: AbortSignal; link: LinkRequest },
): Promise<AskResult> {
  await checkAllowList(ports, installationId, body);
  await checkModelChoice(ports, body.model);
  const { prompt, interactive = false, confirm = false, context = {} } = body;
  const limits = parseLimits(body);
  const request: NewGeneration["request"] = {
    ...{ prompt, context, interactive, confirm, limits },
    ...{ mode: "answer", source: "typed" },
    ...parseChoices(body),
  };
  const generation = await startGeneration(ports, engine, installationId, { ...body, request, link });
  const { conversationId, generationId } = generation;
  const asking: AskContext = { installationId, conversationId, generationId, request };
  const result = await attendGeneration(ports, engine, generation, signal);
  const { status, body: answer } = await toAnswer(ports, asking, result, limits.dryRun === true);
  const usage = await findUsage(ports, { id: generationId, conversation_id: conversationId });
  const notices = body.attachments ? await listNotices(ports.db, generationId) : [];
  return {
    status,
    body: { ...answer, ...(usage ? { usage } : {}), ...(notices.length > 0 ? { notices } : {}) },
  };
}

/** Lists the sentences that a stream shows as `data-notice`. */
async function listNotices(db: BackendPorts["db"], generationId: string): Promise<string[]> {
  const events = await listEvents(db, generationId);
  return events.flatMap(({ part }) => (part.type === "data-notice" ? [part.data.text] : []));
}
