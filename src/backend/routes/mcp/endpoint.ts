import {
  bearerAuthChallengeResponse,
  createMcpHandler,
  OAuthError,
  OAuthErrorCode,
} from "@modelcontextprotocol/server";
import { createKayServer, type KayCalls } from "#mcp-server/server";
import { Problem } from "#protocol/errors";
import { getBearerToken } from "../../accounts/authenticate.ts";
import { toAnswerUrl } from "../../approvals/answer-device.ts";
import type { Engine } from "../../generations/engine.ts";
import { answerInteraction } from "../../generations/requests/answer.ts";
import { startProgramCall, waitForProgramCall } from "../../generations/requests/program-call.ts";
import type { BackendPorts } from "../../ports.ts";
import { getResource, RESOURCE_METADATA_PATH, SCOPE } from "../../programs/metadata.ts";
import { findTokenProgram } from "../../programs/tokens.ts";
import type { Program } from "../../store/programs.ts";
import { listTools } from "../tools.ts";

/**
 * Creates the handler of `POST /mcp`: a new server answers each request that has the token of
 * a program that a user let in, so nothing is kept between two requests and any node answers any of them.
 */
export function createEndpoint(
  ports: BackendPorts,
  engine: Engine,
  draining: () => boolean,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const program = await authenticateProgram(ports, request);
    if (!program) return challenge(ports);
    const { name, id, installationId } = program;
    const calls = createCalls(ports, engine, { programId: id, installationId, signal: request.signal });
    const handler = createMcpHandler(
      ({ era }) => {
        // A closed connection takes the call back, but not before 2026-07-28, and not if this node closes it.
        const cancelGeneration: KayCalls["cancelGeneration"] = async (callId) =>
          era === "modern" && !draining() ? await calls.cancelGeneration(callId) : undefined;
        const openCalls = async () => ({ ...calls, cancelGeneration });
        return createKayServer({ version: ports.version, openCalls, program: name });
      },
      // kay's list of tools does not change while a program is connected.
      { maxSubscriptions: 0, onerror: (error) => ports.log("debug", "mcp.refused", { error }) },
    );
    return await handler.fetch(request);
  };
}

/** The backend's calls as one program may make them: its own calls, in the name of the installation that let it in. */
function createCalls(
  ports: BackendPorts,
  engine: Engine,
  { programId, installationId, signal: gone }: { programId: string; installationId: string; signal: AbortSignal },
): KayCalls {
  const programCall: KayCalls["programCall"] = (id, { waitSeconds, until, signal = gone }) =>
    waitForProgramCall(ports, engine, installationId, id, {
      waitMs: waitSeconds * 1_000,
      signal,
      programId,
      ...(until === "end" ? { past: "waiting" } : {}),
    });
  return {
    programCall,
    tools: async ({ query }) => ({ tools: await listTools(ports, installationId, { query }) }),
    startProgramCall: (request) => {
      const link = { changes: () => [], begin: () => {} };
      return startProgramCall(ports, engine, installationId, request, { link, signal: gone, programId });
    },
    answerInteraction: (conversationId, interactionId, answer) =>
      answerInteraction(ports, engine, { installationId, conversationId, interactionId }, answer),
    // A link that signs a device in would let the program answer for itself.
    createAnswerLink: async (interactionId) => ({ url: toAnswerUrl(ports, interactionId) }),
    cancelGeneration: async (id) => {
      const { status } = await programCall(id, { waitSeconds: 0, until: "end" });
      if (status === "running" || status === "waiting") await engine.stop(id, "The program cancelled it.");
    },
  };
}

/** Returns undefined for a token that is missing, is for something else, or has ended. */
async function authenticateProgram(ports: BackendPorts, request: Request): Promise<Program | undefined> {
  try {
    return await findTokenProgram(ports, getBearerToken(request));
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** Says where a program learns how its user lets it in (RFC 9728 section 5.1). */
function challenge(ports: BackendPorts): Response {
  const { pathname } = new URL(getResource(ports));
  return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InvalidToken, "A valid access token is needed."), {
    requiredScopes: [SCOPE],
    resourceMetadataUrl: `${ports.publicUrl}${RESOURCE_METADATA_PATH}${pathname}`,
  });
}
