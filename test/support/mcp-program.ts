import {
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

type ProgramOptions = Pick<ClientOptions, "capabilities"> & {
  /** Origin of the backend. */
  origin: string;
  fetch?: Fetch;
  name?: string;
  era?: "legacy" | "modern";
  /** The user at their terminal: enters the page's code in `kay mcp authorize`, and returns the printed link. */
  letIn(code: string, page: string): Promise<string>;
  /** Answers kay's questions in the host. */
  answers?(message: string, url?: string): object | Promise<object>;
};

/** A program that uses `/mcp` through the SDK's own client and its sign-in. */
export type Program = {
  client: Client;
  /** What it stores. */
  memory: { client?: StoredOAuthClientInformation; tokens?: StoredOAuthTokens };
  /** Calls a tool and returns what its model reads. */
  call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>>;
  /** Connects once more with what it stores, perhaps to another node. */
  reconnect(fetch?: Fetch): Promise<Program["client"]>;
};

/** The program's redirect address; nothing needs to listen there. */
const REDIRECT = "http://localhost:8787/callback";

/** Signs a program in like a host, and connects it. */
export async function openProgram(options: ProgramOptions): Promise<Program> {
  const { origin, fetch: usual = fetch, name = "Claude Code", era = "legacy", letIn, answers } = options;
  const memory: Program["memory"] = {};
  let verifier = "";
  let discovery: OAuthDiscoveryState | undefined;
  let back: URLSearchParams | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: { client_name: name, redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" },
    state: () => "a state & more",
    clientInformation: () => memory.client,
    saveClientInformation: (client) => void Object.assign(memory, { client }),
    tokens: () => memory.tokens,
    saveTokens: (tokens) => void Object.assign(memory, { tokens }),
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => {
      discovery = state;
    },
    discoveryState: () => discovery,
    redirectToAuthorization: async (url) => {
      back = await visit(usual, url, letIn);
    },
  };
  const createClient = () => {
    const client = new Client(
      { name: "claude-code", version: "9.9.9" },
      { capabilities: options.capabilities ?? {}, versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
    );
    if (answers)
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        const url = "url" in params && typeof params.url === "string" ? params.url : undefined;
        return (await answers(params.message, url)) as { action: "accept" };
      });
    onTestFinished(() => client.close());
    return client;
  };
  const connect = async (through: Fetch): Promise<Client> => {
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      authProvider: provider,
      fetch: through,
    });
    const client = createClient();
    try {
      await client.connect(transport);
      return client;
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || !back) throw error;
      await transport.finishAuth(back);
      back = undefined;
      return await connect(through);
    }
  };
  const program: Program = {
    memory,
    client: await connect(usual),
    reconnect: async (through = usual) => {
      program.client = await connect(through);
      return program.client;
    },
    call: async (tool, args, signal) => {
      const { content } = await program.client.callTool(
        { name: tool, arguments: args },
        { ...(signal ? { signal } : {}) },
      );
      const [first] = content as { text: string }[];
      return JSON.parse(first?.text ?? "{}") as Record<string, unknown>;
    },
  };
  return program;
}

/** The browser: shows the page with the code, and then the link from the terminal, which leads back. */
async function visit(
  through: Fetch,
  url: URL,
  letIn: (code: string, page: string) => Promise<string>,
): Promise<URLSearchParams> {
  const page = await (await through(url)).text();
  const code = /<dd>([A-Z]{4}-[A-Z]{4})<\/dd>/.exec(page)?.[1];
  if (!code) throw new Error(`The page shows no code: ${page}`);
  const back = await (await through(await letIn(code, page))).text();
  const address = /<a rel="noreferrer" href="([^"]*)">Continue/.exec(back)?.[1];
  if (!address) throw new Error(`The page leads nowhere: ${back}`);
  const { origin, pathname, searchParams } = new URL(address.replaceAll("&amp;", "&"));
  if (`${origin}${pathname}` !== REDIRECT) throw new Error(`The page leads to ${address}`);
  if (searchParams.get("state") !== "a state & more") throw new Error("The state was not returned.");
  return searchParams;
}
