import type { RunSetting } from "../kay.ts";
import type { Reply } from "../network.ts";
import type { Row } from "./rows.ts";

/** Where and how a command is run. */
export type Situation = {
  /** Continues the sentence "every command …". */
  title: string;
  setting?: RunSetting;
  /** Additional flags. */
  flags?: string[];
  /** How the network handles every request to the backend. */
  network?: Reply;
  /** Nobody is signed in, or the backend has revoked the sign-in. */
  signIn?: "none" | "revoked";
  /** Exit code by what a command requires. */
  exits: Record<Row["needs"], number>;
  /** Exit code if a command asks first. */
  asked: number;
  /** Exit code if a command writes at once, if different. */
  lost?: number;
};

const WELL = { nothing: 0, backend: 0, "sign-in": 0 };
const UNREACHABLE = { nothing: 0, backend: 6, "sign-in": 6 };
const FAILED = { nothing: 0, backend: 1, "sign-in": 1 };

export const SITUATIONS: Situation[] = [
  { title: "in a pipe", exits: WELL, asked: 2 },
  { title: "with a pipe on stdin that stays open and silent", setting: { stdin: "silent" }, exits: WELL, asked: 2 },
  { title: "on a terminal where the input ends", setting: atTerminal({}), exits: WELL, asked: 5 },
  { title: "with stdout alone on a terminal", setting: { terminal: ["stdout"] }, exits: WELL, asked: 2 },
  { title: "on the terminal of a CI", setting: atTerminal({ CI: "true" }), exits: WELL, asked: 2 },
  { title: "on a terminal with --no-input", setting: atTerminal({}), flags: ["--no-input"], exits: WELL, asked: 2 },
  { title: "where nothing listens at the backend's address", network: "refused", exits: UNREACHABLE, asked: 6 },
  { title: "where the backend's name is not found", network: { fault: "ENOTFOUND" }, exits: UNREACHABLE, asked: 6 },
  {
    title: "where the backend's certificate is refused",
    network: { fault: "SELF_SIGNED_CERT_IN_CHAIN" },
    exits: UNREACHABLE,
    asked: 6,
  },
  {
    title: "where the backend fails",
    network: { status: 500, json: { error: "INTERNAL", code: "INTERNAL", message: "Something went wrong." } },
    exits: FAILED,
    asked: 1,
  },
  {
    title: "where a gateway is all that answers",
    network: { status: 503, text: "<html><h1>Service Unavailable</h1></html>" },
    exits: UNREACHABLE,
    asked: 6,
    lost: 1,
  },
  {
    title: "where the backend asks for patience",
    network: { status: 429, headers: { "retry-after": "2" }, json: { error: "RATE_LIMITED", message: "Slow down." } },
    exits: UNREACHABLE,
    asked: 6,
  },
  { title: "where something else answers", network: { text: "<html>Welcome</html>" }, exits: FAILED, asked: 1 },
  { title: "without a sign-in", signIn: "none", exits: { nothing: 0, backend: 0, "sign-in": 4 }, asked: 4 },
  {
    title: "with a sign-in that was revoked",
    signIn: "revoked",
    exits: { nothing: 0, backend: 0, "sign-in": 4 },
    asked: 4,
  },
];

function atTerminal(env: Record<string, string>): RunSetting {
  return { terminal: true, types: [null, null, null], env: { NO_COLOR: "1", ...env } };
}
