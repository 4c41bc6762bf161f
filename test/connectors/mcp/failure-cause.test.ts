import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { toMcpFault } from "#connectors/mcp/faults";
import { findCause } from "#connectors/mcp/transport/failure-cause";

const NODE = `file:///srv/throw.mjs:1
throw new Error('API_KEY is required')
      ^

Error: API_KEY is required
    at file:///srv/throw.mjs:1:7
    at ModuleJob.run (node:internal/modules/esm/module_job:263:25)
    at async ModuleLoader.import (node:internal/modules/esm/loader:540:24)

Node.js v20.20.2
`;
const NODE_IMPORT = `node:internal/modules/esm/resolve:275
    throw new ERR_MODULE_NOT_FOUND(
          ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/nothere.mjs' imported from /srv/b.mjs
    at finalizeResolution (node:internal/modules/esm/resolve:275:11)
    at defaultResolve (node:internal/modules/esm/resolve:904:11) {
  code: 'ERR_MODULE_NOT_FOUND',
  url: 'file:///srv/nothere.mjs'
}

Node.js v20.20.2
`;
const NODE_EVENT = `node:events:497
      throw er; // Unhandled 'error' event
      ^

Error: connect ECONNREFUSED 127.0.0.1:1
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16)
Emitted 'error' event on Socket instance at:
    at emitErrorNT (node:internal/streams/destroy:169:8) {
  errno: -111,
  code: 'ECONNREFUSED',
  port: 1
}

Node.js v20.20.2
`;
const NODE_REJECTION = `node:internal/process/promises:394
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "no key".] {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2
`;
const ZOD = `ZodError: [
  {
    "expected": "string",
    "path": [
      "API_KEY"
    ],
    "message": "Required"
  }
]
    at new ZodError (file:///srv/zod.js:1:1)
`;
const PYTHON_GROUP = `  + Exception Group Traceback (most recent call last):
  |   File "/srv/j.py", line 3, in <module>
  |     f()
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/srv/j.py", line 9, in run
    | ValueError: API_KEY is required
    +------------------------------------
`;
const PYTHON = `Traceback (most recent call last):
  File "/srv/i.py", line 2, in <module>
    os.environ["API_KEY"]
KeyError: 'API_KEY'
`;
const NPM = `npm error code E404
npm error 404 Not Found - GET https://registry.npmjs.org/@acme%2fnotes - Not found
npm error 404
npm error 404  The requested resource '@acme/notes@*' could not be found
npm error A complete log of this run can be found in: /home/ann/.npm/_logs/2026-11-29-debug-0.log
`;
const GO = `panic: API key missing

goroutine 1 [running]:
main.main()
	/srv/main.go:5 +0x1d
exit status 2
`;
const RUST = `
thread 'main' panicked at src/main.rs:2:5:
API_KEY must be set
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
`;
const JAVA = `Exception in thread "main" java.lang.IllegalStateException: API key missing
	at com.example.Main.main(Main.java:5)
`;
const DOTNET = `Unhandled exception. System.InvalidOperationException: API key missing
   at Program.<Main>$(String[] args) in /srv/Program.cs:line 1
`;
const DENO = `error: Uncaught (in promise) Error: API_KEY is required
throw new Error("API_KEY is required")
      ^
    at file:///srv/a.ts:1:7
`;
const DOCKER = `docker: Error response from daemon: pull access denied for acme/notes.

Run 'docker run --help' for more information
`;
const LOG = `INFO:     Started server process [123]
ERROR:root:API_KEY is missing
INFO:     Shutting down
`;
const USAGE = `Starting server
Error: GITHUB_TOKEN is not set
Usage: notes --token TOKEN
`;

test.each([
  ["an uncaught error of Node", NODE, "Error: API_KEY is required"],
  [
    "a missing import",
    NODE_IMPORT,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/srv/nothere.mjs' imported from /srv/b.mjs",
  ],
  ["an unhandled event", NODE_EVENT, "Error: connect ECONNREFUSED 127.0.0.1:1"],
  ["an unhandled rejection", NODE_REJECTION, 'Error: "no key"'],
  ["issues of Zod", ZOD, 'ZodError: [ { "expected": "string", "path": [ "API_KEY" ], "message": "Required" } ]'],
  ["an exception group of Python", PYTHON_GROUP, "ValueError: API_KEY is required"],
  ["an exception of Python", PYTHON, "KeyError: 'API_KEY'"],
  ["npm", NPM, "Not Found - GET https://registry.npmjs.org/@acme%2fnotes - Not found"],
  ["a panic of Go", GO, "panic: API key missing"],
  ["a panic of Rust", RUST, "Error: API_KEY must be set"],
  ["Java", JAVA, 'Exception in thread "main" java.lang.IllegalStateException: API key missing'],
  [".NET", DOTNET, "Unhandled exception. System.InvalidOperationException: API key missing"],
  ["Deno", DENO, "error: Uncaught (in promise) Error: API_KEY is required"],
  ["Docker", DOCKER, "docker: Error response from daemon: pull access denied for acme/notes."],
  ["a log", LOG, "ERROR:root:API_KEY is missing"],
  ["an error before the usage", USAGE, "Error: GITHUB_TOKEN is not set"],
  ["a shell", "sh: 1: notes-mcp: command not found\n", "sh: 1: notes-mcp: command not found"],
  ["a plain sentence", "Set API_KEY first.\n", "Set API_KEY first."],
  ["colors", "\u001b[31mError:\u001b[0m no key\n\n", "Error: no key"],
])("B214: the reason is found in the output of %s", (_, output, cause) => {
  expect(findCause(output)).toBe(cause);
});

test("B214: a program that does not answer is reported with its last output", () => {
  const late = new SdkError(SdkErrorCode.RequestTimeout, "Request timed out");
  const { problem } = toMcpFault(late, {
    name: "notes",
    title: "Notes",
    lastOutput: "Sign in at https://notes.example.test",
  });
  expect(problem.message).toBe("Notes did not answer in time. It last said “Sign in at https://notes.example.test”.");
});

test("B214: output without words has no reason, and a long one is searched in bounded time", () => {
  expect(findCause("\n---\n{\n}\nNode.js v20.20.2\n")).toBeUndefined();
  expect(findCause(`${" at x ".repeat(100_000)}\nError: last\n`)).toBe("Error: last");
  expect(findCause(`Error: ${"a".repeat(5_000)}`)).toHaveLength(200);
});
