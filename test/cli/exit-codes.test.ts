import { expect, test } from "vitest";
import { ERRORS } from "#protocol/errors";
import { type Machine, parseDocument, useKay } from "#test/kay";
import type { Reply } from "#test/network";

// The table of exit codes, and for each code the ways to get it.

const kay = useKay();

const skipSignIn = async () => kay();
const signIn = async () => {
  const ann = kay({ signedIn: true });
  await ann("whoami");
  return ann;
};
const answerWith = (route: string, reply: Reply) => async () => {
  const ann = await signIn();
  ann.place.network.always(route, reply);
  return ann;
};
const createFailure = (code: keyof typeof ERRORS, options: object = {}) => ({
  status: ERRORS[code].status,
  json: { error: code, code, message: "A sentence.", ...options },
});

/** Exit code, its cause, the machine, the command, and its error; "" without one. */
const TABLE: [exit: number, how: string, machine: () => Promise<Machine>, line: string, code: string][] = [
  [0, "done", signIn, "connections", ""],
  [0, "nothing to sign out of", skipSignIn, "logout", ""],
  [1, "a tool that is not there", signIn, "tools call jira.sing", "NOT_FOUND"],
  [1, "a conversation that is not there", signIn, "sessions show nothing", "SESSION_NOT_FOUND"],
  [1, "a confirmation that is not there", signIn, "confirm nothing --approve", "CONFIRMATION_NOT_FOUND"],
  [1, "nothing that waits", signIn, "answer nothing --approve", "INTERACTION_NOT_FOUND"],
  [1, "an approval that is not there", signIn, "approvals revoke nothing --yes", "APPROVAL_NOT_FOUND"],
  [1, "a service without a client", signIn, "connect kyg", "SERVICE_NOT_CONFIGURED"],
  [1, "a link that somebody else finishes", signIn, "connect jira --poll nothing", "STATE_INVALID"],
  [1, "a fault of the backend", answerWith("GET /connections", createFailure("INTERNAL")), "connections", "INTERNAL"],
  [1, "a model that fails", answerWith("POST /ask", createFailure("MODEL_FAILED")), "ask x", "MODEL_FAILED"],
  [1, "no model", answerWith("POST /ask", createFailure("MODEL_NOT_CONFIGURED")), "ask x", "MODEL_NOT_CONFIGURED"],
  [1, "a service that fails", answerWith("POST /ask", createFailure("SERVICE_FAILED")), "ask x", "SERVICE_FAILED"],
  [
    1,
    "a request that is too long",
    answerWith("POST /ask", createFailure("CONTEXT_TOO_LONG")),
    "ask x",
    "CONTEXT_TOO_LONG",
  ],
  [1, "no backend at that address", answerWith("GET /connections", { text: "<html>" }), "connections", "BAD_ANSWER"],
  [1, "a lost answer", answerWith("POST /ask", { status: 504, text: "<html>" }), "ask x", "OUTCOME_UNKNOWN"],
  [1, "a setting that is not set", signIn, "config get model", ""],
  [2, "a command that is not there", signIn, "conections", "USAGE"],
  [2, "an option that is not there", signIn, "ask --confim x", "USAGE"],
  [2, "an argument that is missing", signIn, "confirm", "USAGE"],
  [2, "nothing to ask", signIn, "ask", "USAGE"],
  [2, "a service that is not there", signIn, "connect pigeons", "UNKNOWN_SERVICE"],
  [2, "a question where nobody is", signIn, "disconnect jira", "INPUT_REQUIRED"],
  [
    2,
    "an address that is not safe",
    async () => kay({ env: { KAY_API_URL: "http://a.example" } }),
    "connect jira",
    "INSECURE_URL",
  ],
  [2, "an input that does not fit", signIn, "tools call jira.get_issue --field issue=", "INVALID_REQUEST"],
  [4, "nobody signed in", skipSignIn, "whoami", "NOT_SIGNED_IN"],
  [4, "a token that is refused", async () => kay({ env: { KAY_TOKEN: "x.y.z" } }), "connections", "TOKEN_INVALID"],
  [4, "a service that is not connected", signIn, "connections --check bitbucket", ""],
  [4, "a tool of a service that is not", signIn, "tools call bitbucket.list_repositories", "AUTH_REQUIRED"],
  [5, "a no in the browser", async () => kay({ person: "denies" }), "connect jira", "AUTHORIZATION_DENIED"],
  [6, "nothing that listens", answerWith("", "refused"), "connections", "UNREACHABLE"],
  [6, "a name that is not found", answerWith("", { fault: "EAI_AGAIN" }), "connections", "UNREACHABLE"],
  [6, "a certificate that is refused", answerWith("", { fault: "CERT_HAS_EXPIRED" }), "connections", "TLS_FAILED"],
  [6, "no answer in time", answerWith("GET /connections", "hang"), "connections", "TIMED_OUT"],
  [
    6,
    "a gateway without a backend",
    answerWith("GET /connections", { status: 502, text: "<html>" }),
    "connections",
    "BAD_GATEWAY",
  ],
  [
    6,
    "too many requests",
    answerWith("GET /connections", createFailure("RATE_LIMITED")),
    "connections",
    "RATE_LIMITED",
  ],
  [
    6,
    "a backend without its database",
    answerWith("GET /connections", createFailure("DATABASE_UNAVAILABLE")),
    "connections",
    "DATABASE_UNAVAILABLE",
  ],
  [8, "a confirmation that is open", signIn, 'ask --confirm "close KAY-4"', ""],
  [8, "a connection that is needed", signIn, 'ask "tell #general what is open in KAY"', ""],
];

test.for(TABLE)("exit code %i: %s", async ([exit, , machine, line, code]) => {
  const ann = await machine();
  const result = await ann(`${line} --json`);
  const document = parseDocument(result) as { code?: string };
  expect({ exit: result.exit, code: document.code ?? "" }).toEqual({ exit, code });
  const plain = await (await machine())(line);
  expect(plain.exit).toBe(exit);
});

test.for([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends every wait with %i", async ([signal, exit]) => {
  for (const line of [
    "ask x",
    "connections",
    "connect bitbucket",
    "sessions list",
    "config set model",
    "tools call jira.search -",
  ]) {
    const ann = await answerWith("", () => {
      ann.interrupt(signal);
      return "hang" as const;
    })();
    const result = await ann(line, { stdin: (ended) => interruptInput(ann, signal, ended) });
    expect({ line, exit: result.exit, stdout: result.stdout }).toEqual({ line, exit, stdout: "" });
  }
});

async function* interruptInput(ann: Machine, signal: string, ended: AbortSignal): AsyncGenerator<Uint8Array> {
  ann.interrupt(signal);
  await new Promise<void>((resolve) => (ended.aborted ? resolve() : ended.addEventListener("abort", () => resolve())));
}

test("help exit-codes lists the codes that errors and signals can have, and no others", async () => {
  const { stdout } = await kay()("help exit-codes");
  const listed = [...stdout.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
  const errors = Object.values(ERRORS).map(({ exit }) => Number(exit));
  expect(listed).toEqual([...new Set([0, ...errors, 130, 143])].sort((a, b) => a - b));
});

test("every exit code of an error is in the table", () => {
  const expected = new Set(TABLE.map(([exit]) => exit));
  expect(
    [...new Set(Object.values(ERRORS).map(({ exit }) => Number(exit)))].filter((exit) => !expected.has(exit)),
  ).toEqual([]);
});
