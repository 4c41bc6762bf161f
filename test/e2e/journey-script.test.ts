import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runProgram } from "#test/built/bash";
import { openHome } from "#test/built/home";
import { needs } from "#test/needs";

const SCRIPT = fileURLToPath(new URL("../../docs/examples/journey.sh", import.meta.url));

/** Output of the script: each step with its exit code and its document. */
const STEPS = `
exit 4    not signed in                    NOT_SIGNED_IN
exit 2    wrong usage                      USAGE
exit 6    an unreachable backend           UNREACHABLE
exit 0    jira: a link                     jira
exit 0    jira: allow                      Dana Demo
exit 0    confluence: a link               confluence
exit 5    confluence: deny                 AUTHORIZATION_DENIED
exit 0    jira is connected                true
exit 4    slack is not connected           false
exit 0    the default policy
exit 0    a question                       completed
exit 0    a tool                           12
exit 1    an unknown tool                  NOT_FOUND
exit 8    a request that needs slack       slack
exit 4    an answer without a connection   slack
exit 0    cancelled                        completed
exit 0    every change asks                ask
exit 8    a change                         approval
exit 0    approved                         Close KAY-3 (move it to a status that counts as done)
exit 8    another change                   approval
exit 0    denied                           completed
exit 5    a request that was denied
exit 0    no open requests                 0
exit 0    the default policy again         0
exit 8    a plan                           confirmation_required
exit 0    confirmed                        Close KAY-5 (move it to a status that counts as done)
exit 1    a used token                     CONFIRMATION_USED
exit 8    another plan                     confirmation_required
exit 0    plan denied                      completed
exit 0    the conversation                 FILE
exit 2    an existing file                 INPUT_REQUIRED
exit 130  Ctrl+C while waiting             SIGINT
exit 143  SIGTERM while waiting            SIGTERM
exit 0    sign out                         true
exit 4    signed out                       NOT_SIGNED_IN
`;

needs("bash", "curl")(
  "the example script runs a whole journey with JSON and exit codes alone",
  { timeout: 180_000 },
  async () => {
    const home = openHome();
    const { exit, stdout, stderr } = await runProgram(SCRIPT, [], { env: home.env, cwd: home.folder });
    const steps = stdout.replaceAll(/ +$/gm, "").replace(/\S+conversation\.md/, "FILE");
    expect({ exit, steps, stderr }).toEqual({ exit: 0, steps: STEPS.trimStart(), stderr: "" });
  },
);
