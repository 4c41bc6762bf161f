import {
  bearerAuthChallengeResponse,
  createMcpHandler,
  OAuthError,
  OAuthErrorCode,
} from "@modelcontextprotocol/server";
import type { KayCalls } from "#mcp-server/calls";
import { createKayServer } from "#mcp-server/server";
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
 * Creates the handler of `POST /mcp`: a new server answers each request that has the token of an authorized program. No
 * state is kept between requests, so any node can answer.
 */
export function createEndpoint(
  ports: BackendPorts,
  engine: Engine,
  isDraining: () => boolean,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const program = await authenticateProgram(ports, request);
    if (!program) return sendChallenge(ports);
    const { name, id, installationId } = program;
    const calls = createCalls(ports, engine, { programId: id, installationId, signal: request.signal });
    const handler = createMcpHandler(
      ({ era }) => {
        // A closed connection cancels the call, but not before protocol 2026-07-28, and not if this node closes it.
        const cancelGeneration: KayCalls["cancelGeneration"] = async (callId) =>
          era === "modern" && !isDraining() ? await calls.cancelGeneration(callId) : undefined;
        const openCalls = async () => ({ ...calls, cancelGeneration });
        return createKayServer({ version: ports.version, openCalls, program: name, closeCancels: true });
      },
      // kay's list of tools does not change while a program is connected.
      { maxSubscriptions: 0, onerror: (error) => ports.log("debug", "mcp.refused", { error }) },
    );
    return await handler.fetch(request);
  };
}

/**
 * Creates the calls of one program: it sees only its own calls, and acts for the installation that authorized it.
 */
function createCalls(
  ports: BackendPorts,
  engine: Engine,
  { programId, installationId, signal: closed }: { programId: string; installationId: string; signal: AbortSignal },
): KayCalls {
  const programCall: KayCalls["programCall"] = (id, { waitSeconds, until, signal = closed }) =>
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
      return startProgramCall(ports, engine, installationId, request, { link, signal: closed, programId });
    },
    answerInteraction: (conversationId, interactionId, answer) =>
      answerInteraction(ports, engine, { installationId, conversationId, interactionId }, answer),
    // A sign-in link would let the program answer its own requests.
    createAnswerLink: async (interactionId) => ({ url: toAnswerUrl(ports, interactionId) }),
    cancelGeneration: async (id) => {
      const { status } = await programCall(id, { waitSeconds: 0, until: "end" });
      if (status === "running" || status === "waiting") await engine.stop(id, "The program canceled it.");
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

/** Sends the challenge that names the authorization server (RFC 9728 section 5.1). */
function sendChallenge(ports: BackendPorts): Response {
  const { pathname } = new URL(getResource(ports));
  return bearerAuthChallengeResponse(new OAuthError(OAuthErrorCode.InvalidToken, "A valid access token is needed."), {
    requiredScopes: [SCOPE],
    resourceMetadataUrl: `${ports.publicUrl}${RESOURCE_METADATA_PATH}${pathname}`,
  });
}
